/** What runs changed, on the disk beside their transcripts. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CodingSessionDiff } from '@slipway/protocol'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { isUuid } from '../../../lib/ids.ts'
import type { RunRepository } from '../repository.ts'

const ENDING = '.changes.json'
const pathOf = (folder: string, id: string): string => join(folder, `${id}${ENDING}`)

/** Null for the failure that there is no such file or folder. */
const orNull = (error: NodeJS.ErrnoException): null | Promise<never> =>
  error.code === 'ENOENT' ? null : Promise.reject(error)

/** With the tree of the run's start, which its container may still have. */
const StoredDiff = Type.Object({ ...CodingSessionDiff.properties, startTree: Type.Optional(Type.String()) })
type StoredDiff = Static<typeof StoredDiff>

/** Stores a diff, in place of an earlier one of the same run. */
export const writeDiff = async (folder: string, diff: StoredDiff): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = pathOf(folder, diff.sessionId)
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, JSON.stringify(diff), { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

const readStored = async (folder: string, id: string): Promise<StoredDiff | null> => {
  const text = await readFile(pathOf(folder, id), 'utf8').catch(orNull)
  return text === null ? null : Value.Parse(StoredDiff, JSON.parse(text))
}

/** Null if there is none. */
export const readDiff = async (folder: string, id: string): Promise<CodingSessionDiff | null> => {
  const stored = await readStored(folder, id)
  if (stored === null) return null
  const { startTree: _, ...diff } = stored
  return diff
}

/** The tree of a run's start; null if it is unknown. */
export const startTreeOf = async (folder: string, id: string): Promise<string | null> =>
  (await readStored(folder, id))?.startTree ?? null

/** The runs that have one. */
const diffsIn = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder).catch(orNull)) ?? []
  return names.flatMap((name) => (name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : [])).filter(isUuid)
}

const removeDiff = (folder: string, id: string): Promise<void> => rm(pathOf(folder, id), { force: true })

/** Removes the diffs without a run: the deletion of a user removes the rows of their runs. */
export const sweepDiffs = async (folder: string, repository: Pick<RunRepository, 'endings'>): Promise<void> => {
  const stored = await diffsIn(folder)
  const known = await repository.endings(stored)
  for (const id of stored) if (!known.has(id)) await removeDiff(folder, id)
}
