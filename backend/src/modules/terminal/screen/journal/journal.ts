/**
 * The output of one session since its kept screen, as it comes, for a server that is killed in a flood: more may come then than the
 * container keeps. No condition of the session: where it cannot be written it is given up, until the next screen is kept.
 */
import { type FileHandle, mkdir, open, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { streamed } from '../../../../lib/garbage.ts'
import { within } from '../../../../lib/within.ts'
import { segmentsOf } from './past.ts'
import { PIECE_BYTES, sealPiece, SEGMENT_BYTES, segmentName } from './segments.ts'

/** Most of one session, in bytes: twice what there is before its screen is kept again. */
export const SESSION_BYTES = 268_435_456
/** Most of all sessions, in bytes. */
export const ALL_BYTES = 2_147_483_648
/** How long is waited for the disk, in milliseconds, and how often: the session waits as long. */
const TICK_MS = 100
const WRITE_TICKS = 10

export interface JournalPlace {
  readonly folder: string
  /** What is written is sealed with. */
  readonly key: Uint8Array
  /** Nothing is written when less than this is free on the disk, in bytes. */
  readonly minFreeBytes: number
  /** How often the disk is waited for, of a tenth of a second each. Tests beside which the disk has much to do wait longer. */
  readonly writeTicks?: number
}

interface Begin {
  readonly id: string
  /** Offset of the first byte that will be appended. */
  readonly from: number
  /** Where the segments begin that an earlier server left, and that come before. */
  readonly older: readonly number[]
  /** When this settles nobody removes anything of the same session any more. */
  readonly after?: Promise<void>
  /** It is given up. */
  readonly failed: (error: unknown) => void
}

/** Of all sessions, in bytes of output. */
let all = 0

export class Journal {
  readonly #place: JournalPlace
  readonly #begin: Begin
  /** In order; the last one is written to. */
  #segments: number[]
  #handle: FileHandle | null = null
  #offset: number
  /** Of the file that is written to, in bytes. */
  #used = 0
  /** Of what there is of this session, in bytes of output. */
  #bytes = 0
  #isOver = false
  #isGivenUp = false
  #work: Promise<void>
  /** What goes is waited for by nobody who writes. */
  #removing: Promise<void> = Promise.resolve()

  constructor(place: JournalPlace, begin: Begin) {
    this.#place = place
    this.#begin = begin
    // Of one that begins here nothing is whole: it is written anew.
    this.#segments = begin.older.filter((from) => from < begin.from)
    this.#offset = begin.from
    this.#work = (begin.after ?? Promise.resolve()).then(() => this.#removeOthers())
    // They are full, but for the last one.
    this.#counted(this.#segments.length * SEGMENT_BYTES)
  }

  /** When everything is done that was asked of it. */
  get settled(): Promise<void> {
    return this.#work
  }

  /** Settles when it is with the system, which writes it whatever becomes of this process, or when it is given up. */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) return
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      const offset = this.#offset
      // At once: whoever gave it goes on with that memory.
      const sealed = sealPiece(this.#place.key, this.#begin.id, offset, piece)
      streamed(piece.length)
      this.#offset += piece.length
      this.#do(() => this.#write(offset, sealed, piece.length))
    }
    const written = this.#work
    const is = { written: false }
    void written.then(() => (is.written = true))
    const { writeTicks = WRITE_TICKS } = this.#place
    // A thread that is busy itself has not heard of the disk yet.
    for (let tick = 0; tick < writeTicks && !is.written; tick += 1) await within(TICK_MS, written, () => undefined)
    if (!is.written) this.#giveUp(new Error('the disk takes too long'))
  }

  /** What came before is in a screen. */
  kept(offset: number): void {
    this.#do(() => {
      // A segment ends where the next begins.
      while (this.#segments.length > 1 && this.#segments[1]! <= offset) this.#remove(this.#segments.shift()!)
      if (!this.#isOver) this.#counted(Math.min(this.#bytes, Math.max(0, this.#offset - (this.#segments[0] ?? 0))))
    })
  }

  /** Nothing more comes. `isOver`: and what there is goes. */
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

  /** Another thread, which was replaced, may have left some: they are of no use to anybody, and nobody counts them. */
  async #removeOthers(): Promise<void> {
    const { folder } = this.#place
    for (const from of await segmentsOf(folder, this.#begin.id)) if (!this.#segments.includes(from)) this.#remove(from)
    await this.#removing
  }

  #removeAll(): void {
    for (const from of this.#segments) this.#remove(from)
  }

  /** Whoever asks for it may have removed it already; what stays goes with the session. */
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
    // A part of it is of use to nobody: what follows would be missing.
    const clear = async (): Promise<void> => {
      await this.#close().finally(() => this.#removeAll())
      await this.#removing
    }
    this.#work = this.#work.then(clear).catch(() => undefined)
  }
}
