/** Where screens are kept on the disk: a few files for a session, which only this installation can read. */
import { lstat, mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '../../../../lib/ids.ts'
import { seal, SEAL_BYTES, unsealWithAny } from '../../../../lib/sealing.ts'
import { deriveKey } from '../../../../lib/secrets.ts'
import type { JournalPlace } from '../journal/journal.ts'
import { Past, removeSegments } from '../journal/past.ts'
import { parseSegmentName } from '../journal/segments.ts'
import { PRINT_BYTES } from '@slipway/emulator/headless'

const LABEL = 'slipway kept screens v1'
/** A print that cannot be compressed grows by less than this, with its head, in bytes. */
const OVERHEAD_BYTES = 65_536
/** Nothing longer is read, in bytes. */
const FILE_BYTES = PRINT_BYTES + OVERHEAD_BYTES + SEAL_BYTES
const DRAFT = '.draft'
/** One that is older was broken off, in milliseconds. */
const DRAFT_MS = 60_000

/** Its print, the lines that followed it, or the changes of its size since. */
export type Part = 'screen' | 'since' | 'sizes'
const PARTS: readonly Part[] = ['screen', 'since', 'sizes']

/** Why a file is no use. */
export type Flaw = 'too_large' | 'unreadable'

interface Parts {
  readonly dataDir: string
  readonly secretKey: Uint8Array
  /** The one before, while a rotation is not finished. */
  readonly previousSecretKey: Uint8Array | null
  /** Nothing is written when less than this is free on the disk, in bytes. */
  readonly minFreeBytes: number
}

export class ScreenFiles {
  readonly #folder: string
  /** The first is written with. */
  readonly #keys: readonly Uint8Array[]
  readonly #minFreeBytes: number

  constructor({ dataDir, secretKey, previousSecretKey, minFreeBytes }: Parts) {
    this.#folder = join(dataDir, 'screens')
    const secrets = previousSecretKey ? [secretKey, previousSecretKey] : [secretKey]
    this.#keys = secrets.map((secret) => deriveKey(secret, LABEL))
    this.#minFreeBytes = minFreeBytes
  }

  /** Where the output that follows the screens is written. */
  get journal(): JournalPlace {
    return { folder: this.#folder, key: this.#keys[0]!, minFreeBytes: this.#minFreeBytes }
  }

  /** The output that was written between those offsets; null: there is none from the first on. */
  past(id: string, from: number, to: number): Promise<Past | null> {
    return Past.open({ folder: this.#folder, keys: this.#keys, id, from, to })
  }

  /** Whole or not at all. It is not flushed: what takes the machine down takes the session along. */
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

  /** What was written; null: nothing. */
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

  /** What there is of its output, in segments that begin before that offset. */
  removeOutput(id: string, before?: number): Promise<void> {
    return removeSegments(this.#folder, id, before)
  }

  /** The sessions of which there is something. What was broken off in the middle of being written goes, after a minute. */
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

  /** Not one that is being written. */
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
