/**
 * The journal: the output of one session since its kept screen, written to the disk as it comes. If a server is killed
 * during a flood, the output may exceed what the container keeps. A session does not depend on its journal: if it
 * cannot be written, it is given up until the next screen is kept.
 */
import { type FileHandle, mkdir, open, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { streamed } from '../../../../lib/garbage.ts'
import { within } from '../../../../lib/time/within.ts'
import { segmentsOf } from './past.ts'
import { PIECE_BYTES, sealPiece, SEGMENT_BYTES, segmentName } from './segments.ts'

/** Most output of one session, in bytes: twice the amount after which its screen is kept again. */
export const SESSION_BYTES = 268_435_456
/** Most output of all sessions together, in bytes. */
export const ALL_BYTES = 2_147_483_648
/** A tick of a wait for the disk, in milliseconds, and the number of ticks. The session waits as long. */
const TICK_MS = 100
const WRITE_TICKS = 10

export interface JournalPlace {
  readonly folder: string
  /** Key that seals the output. */
  readonly key: Uint8Array
  /** If less than this is free on the disk, nothing is written, in bytes. */
  readonly minFreeBytes: number
  /** Longest wait for the disk, in ticks of {@link TICK_MS}. Tests that keep the disk busy wait longer. */
  readonly writeTicks?: number
}

interface Begin {
  readonly id: string
  /** Offset of the first byte that will be appended. */
  readonly from: number
  /** Offsets at which the older segments begin, which an earlier server left. */
  readonly older: readonly number[]
  /** Resolves once nothing of the same session is being removed any more. */
  readonly after?: Promise<void>
  /** The journal was given up because of this error. */
  readonly failed: (error: unknown) => void
}

/** Output in the journals of all sessions, in bytes. */
let all = 0

export class Journal {
  readonly #place: JournalPlace
  readonly #begin: Begin
  /** Offsets at which the segments begin, in order. The last segment is being written. */
  #segments: number[]
  #handle: FileHandle | null = null
  #offset: number
  /** Size of the file that is being written, in bytes. */
  #used = 0
  /** Output in this journal, in bytes. */
  #bytes = 0
  #isOver = false
  #isGivenUp = false
  #work: Promise<void>
  /** Removals run in the background. Writes do not wait for them. */
  #removing: Promise<void> = Promise.resolve()

  constructor(place: JournalPlace, begin: Begin) {
    this.#place = place
    this.#begin = begin
    // A segment that begins at this offset may be incomplete, so it is written anew.
    this.#segments = begin.older.filter((from) => from < begin.from)
    this.#offset = begin.from
    this.#work = (begin.after ?? Promise.resolve()).then(() => this.#removeOthers())
    // All of them but the last are full.
    this.#counted(this.#segments.length * SEGMENT_BYTES)
  }

  /** Resolves when all its requested work is done. */
  get settled(): Promise<void> {
    return this.#work
  }

  /**
   * Resolves when the operating system has the bytes, and so writes them even if this process dies. Also resolves when
   * the journal is given up.
   */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) return
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      const offset = this.#offset
      // Seal at once, because the caller reuses this memory.
      const sealed = sealPiece(this.#place.key, this.#begin.id, offset, piece)
      streamed(piece.length)
      this.#offset += piece.length
      this.#do(() => this.#write(offset, sealed, piece.length))
    }
    const written = this.#work
    const is = { written: false }
    void written.then(() => (is.written = true))
    const { writeTicks = WRITE_TICKS } = this.#place
    // A single long timeout could fire before a busy thread has seen that the write is done.
    for (let tick = 0; tick < writeTicks && !is.written; tick += 1) await within(TICK_MS, written, () => undefined)
    if (!is.written) this.#giveUp(new Error('the disk takes too long'))
  }

  /** A screen was kept of all output before that offset. */
  kept(offset: number): void {
    this.#do(() => {
      // A segment ends where the next one begins.
      while (this.#segments.length > 1 && this.#segments[1]! <= offset) this.#remove(this.#segments.shift()!)
      if (!this.#isOver) this.#counted(Math.min(this.#bytes, Math.max(0, this.#offset - (this.#segments[0] ?? 0))))
    })
  }

  /** Ends the journal. `isOver`: its files are removed, too. */
  async end(isOver: boolean): Promise<void> {
    if (this.#isOver) return
    const end = async (): Promise<void> => {
      await this.#close()
      if (isOver) this.#removeAll()
      await this.#removing
    }
    this.#isOver = true
    this.#counted(0)
    await (this.#work = this.#work.then(end).catch(() => undefined))
  }

  async #write(offset: number, sealed: readonly Buffer[], length: number): Promise<void> {
    if (!this.#handle || this.#used >= SEGMENT_BYTES) await this.#next(offset)
    const whole = sealed.reduce((sum, bytes) => sum + bytes.length, 0)
    const { bytesWritten } = await this.#handle!.writev(sealed)
    if (bytesWritten < whole) throw new Error('the disk took a part of it')
    this.#used += whole
    if (!this.#isOver) this.#counted(this.#bytes + length)
  }

  async #next(from: number): Promise<void> {
    await this.#close()
    if (this.#bytes >= SESSION_BYTES || all >= ALL_BYTES) throw new Error('there is too much of it')
    const { folder, minFreeBytes } = this.#place
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < minFreeBytes) throw new Error('too little of the disk is free')
    this.#segments.push(from)
    this.#used = 0
    this.#handle = await open(join(folder, segmentName(this.#begin.id, from)), 'w', 0o600)
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = null
    await handle?.close()
  }

  /** Removes segments that a replaced thread may have left. They are of no use, and do not count in {@link all}. */
  async #removeOthers(): Promise<void> {
    const { folder } = this.#place
    for (const from of await segmentsOf(folder, this.#begin.id)) if (!this.#segments.includes(from)) this.#remove(from)
    await this.#removing
  }

  #removeAll(): void {
    for (const from of this.#segments) this.#remove(from)
  }

  /** The file may be gone already. If it cannot be removed, it is removed with the session. */
  #remove(from: number): void {
    const path = join(this.#place.folder, segmentName(this.#begin.id, from))
    this.#removing = this.#removing.then(() => unlink(path)).catch(() => undefined)
  }

  #counted(bytes: number): void {
    all += bytes - this.#bytes
    this.#bytes = bytes
  }

  #do(work: () => Promise<void> | void): void {
    const unlessOver = (): Promise<void> | void => (this.#isGivenUp ? undefined : work())
    if (!this.#isOver) this.#work = this.#work.then(unlessOver).catch((error: unknown) => this.#giveUp(error))
  }

  #giveUp(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = this.#isGivenUp = true
    this.#counted(0)
    this.#begin.failed(error)
    // An incomplete journal is of no use, because the output after it would be missing.
    const clear = async (): Promise<void> => {
      await this.#close().finally(() => this.#removeAll())
      await this.#removing
    }
    this.#work = this.#work.then(clear).catch(() => undefined)
  }
}
