/**
 * User ids of agents. The kernel counts inotify instances and watches, pipe pages, keys and more by user, over all containers, so
 * agents with one id could take them from each other.
 */
import { createHash } from 'node:crypto'

/**
 * Below 60,000, where systems reserve ids, and so within the 65,536 that an engine with user namespaces or without root has. Far above
 * the accounts that a host gives out by itself, and more ids than the agents' network has addresses.
 */
export const UID_FIRST = 50_000
export const UID_LAST = 59_999
const COUNT = UID_LAST - UID_FIRST + 1

/** Where an installation begins, so that two on one engine rarely meet. */
const startOf = (namespace: string): number => createHash('sha256').update(namespace).digest().readUInt32BE(0) % COUNT

/** The first user id from the installation's start on, around the end, that is not taken; null when all are. */
export const freeUid = (namespace: string, taken: ReadonlySet<number>): number | null => {
  const start = startOf(namespace)
  for (let step = 0; step < COUNT; step++) {
    const uid = UID_FIRST + ((start + step) % COUNT)
    if (!taken.has(uid)) return uid
  }
  return null
}
