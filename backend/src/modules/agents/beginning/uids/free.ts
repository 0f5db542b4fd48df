/**
 * User ids of agents. The kernel limits inotify instances and watches, pipe pages and keys for each user, over all
 * containers. Agents with the same id would exhaust these for each other.
 */
import { createHash } from 'node:crypto'

/**
 * Below 60,000, where systems reserve ids, and thus within the 65,536 ids of an engine with user namespaces or without
 * root. Far above the ids that a host gives to its own accounts. There are more ids than addresses in the agents' network.
 */
export const UID_FIRST = 50_000
export const UID_LAST = 59_999
const COUNT = UID_LAST - UID_FIRST + 1

/** The first id of an installation. It depends on the namespace, so that two on one engine rarely use the same ids. */
const startOf = (namespace: string): number => createHash('sha256').update(namespace).digest().readUInt32BE(0) % COUNT

/** The first free id, searched from the installation's first one and around the end; null if all are in use. */
export const freeUid = (namespace: string, taken: ReadonlySet<number>): number | null => {
  const start = startOf(namespace)
  for (let step = 0; step < COUNT; step++) {
    const uid = UID_FIRST + ((start + step) % COUNT)
    if (!taken.has(uid)) return uid
  }
  return null
}
