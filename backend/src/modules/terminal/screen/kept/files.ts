/** The files of kept screens: a few for each session, sealed with a key of this installation. */
import { lstat, mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '../../../../lib/ids.ts'
import { seal, SEAL_BYTES, unsealWithAny } from '../../../../lib/secrets/sealing.ts'
import { deriveKey } from '../../../../lib/secrets/secrets.ts'
import type { JournalPlace } from '../journal/journal.ts'
import { Past, removeSegments } from '../journal/past.ts'
import { parseSegmentName } from '../journal/segments.ts'
import { PRINT_BYTES } from '@slipway/emulator/headless'

const LABEL = 'slipway kept screens v1'
/** Most bytes that the head and the compression can add to a print. */
const OVERHEAD_BYTES = 65_536
/** Longest file that is read, in bytes. */
const FILE_BYTES = PRINT_BYTES + OVERHEAD_BYTES + SEAL_BYTES
const DRAFT = '.draft'
/** A draft that is older was interrupted, in milliseconds. */
const DRAFT_MS = 60_000

/** The print of a screen, the lines that followed it, or the changes of its size since. */
export type Part = 'screen' | 'since' | 'sizes'
const PARTS: readonly Part[] = ['screen', 'since', 'sizes']

/** Why a file cannot be used. */
export type Flaw = 'too_large' | 'unreadable'

interface Parts {
  readonly dataDir: string
  readonly secretKey: Uint8Array
  /** The previous key, while a rotation is not finished. */
  readonly previousSecretKey: Uint8Array | null
  /** If less than this is free on the disk, nothing is written, in bytes. */
  readonly minFreeBytes: number
}

export class ScreenFiles {
  readonly #folder: string
  /** Keys for reading. The first is also the key for writing. */
  readonly #keys: readonly Uint8Array[]
  readonly #minFreeBytes: number

  constructor({ dataDir, secretKey, previousSecretKey, minFreeBytes }: Parts) {
    this.#folder = join(dataDir, 'screens')
    const secrets = previousSecretKey ? [secretKey, previousSecretKey] : [secretKey]
    this.#keys = secrets.map((secret) => deriveKey(secret, LABEL))
    this.#minFreeBytes = minFreeBytes
  }

  /** The place of the journals, which have the output after the kept screens. */
  get journal(): JournalPlace {
    return { folder: this.#folder, key: this.#keys[0]!, minFreeBytes: this.#minFreeBytes }
  }

  /** Opens the journal between those offsets; null: it does not have the first one. */
  past(id: string, from: number, to: number): Promise<Past | null> {
    return Past.open({ folder: this.#folder, keys: this.#keys, id, from, to })
  }

  /**
   * Writes a file completely or not at all. It is not flushed, because a crash of the machine ends the session, too.
   */
  async write(id: string, part: Part, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(id, part)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < this.#minFreeBytes) throw new Error('too little of the disk is free')
    const draft = `${path}${DRAFT}`
    try {
      await writeFile(draft, seal(this.#keys[0]!, bindingOf(id, part), bytes), { mode: 0o600 })
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw error
    }
  }

  /** The content of a file; null: there is none. */
  async read(id: string, part: Part): Promise<Buffer | Flaw | null> {
    const path = this.#pathOf(id, part)
    const stat = await lstat(path).catch(() => null)
    if (!stat) return null
    if (stat.size > FILE_BYTES) return 'too_large'
    const sealed = stat.isFile() ? await readFile(path).catch(() => null) : null
    if (!sealed) return 'unreadable'
    return unsealWithAny(this.#keys, bindingOf(id, part), sealed) ?? 'unreadable'
  }

  async remove(id: string): Promise<void> {
    for (const part of PARTS) await rm(this.#pathOf(id, part), { force: true, recursive: true })
    await this.removeOutput(id)
  }

  /** Removes the segments of its journal that begin before that offset. */
  removeOutput(id: string, before?: number): Promise<void> {
    return removeSegments(this.#folder, id, before)
  }

  /** The sessions that have files. Removes drafts of interrupted writes that are older than a minute. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const ids = new Set<string>()
    for (const name of names) {
      const [id = '', part] = name.split('.')
      if (isUuid(id) && PARTS.some((one) => name === `${id}.${one}`)) ids.add(id)
      else if (parseSegmentName(name)) ids.add(id)
      else if (part !== undefined && name.endsWith(DRAFT)) await this.#removeOld(join(this.#folder, name))
    }
    return [...ids]
  }

  /** Keeps a draft that may still be being written. */
  async #removeOld(draft: string): Promise<void> {
    const { mtimeMs = Infinity } = (await lstat(draft).catch(() => null)) ?? {}
    if (Date.now() - mtimeMs > DRAFT_MS) await rm(draft, { force: true })
  }

  #pathOf(id: string, part: Part): string {
    if (!isUuid(id)) throw new RangeError('a session is named by a UUID')
    return join(this.#folder, `${id}.${part}`)
  }
}

const bindingOf = (id: string, part: Part): Buffer => Buffer.from(JSON.stringify(['slipway kept screen', id, part]))
