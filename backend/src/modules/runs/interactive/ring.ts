/** The end of a terminal's output on the disk, as the transcript of its run. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Held } from '../repository.ts'
import { type Entry, headLine, lineOf } from '../transcript/entry.ts'
import { nameOf } from '../transcript/segment.ts'

/** Replaces the transcript of the run with this entry. The old one stays until the new one is complete. */
export const writeRing = async (folder: string, { id, generation }: Held, entry: Entry): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, nameOf(id, generation))
  const made = `${path}.${randomUUID()}`
  try {
    // It is all that is kept, so it continues no earlier segment.
    await writeFile(made, headLine({ generation, after: null }) + lineOf(entry), { mode: 0o600, flag: 'wx' })
    await rename(made, path)
  } finally {
    await rm(made, { force: true })
  }
}
