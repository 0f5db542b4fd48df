/** One recording as a file: only ever appended to, in whole lines, by one writer. Works synchronously, on the writer's own thread. */
import { closeSync, ftruncateSync, mkdirSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CastEvent, type CastHeader, eventLine, headerLine, Lines, type Position, positionLine } from './lines.ts'
import { Masks } from './masks.ts'
import { lastPosition, wholeLines } from './tail.ts'

/** Why nothing more can be written. */
export type Loss = 'disk_full' | 'too_large' | 'failed'

/** What the last line of a file that was given up says, as far as there is room for it. */
const LOSS_MARKS: Record<Loss, string> = {
  disk_full: 'The recording ends here: the disk was full',
  too_large: 'The recording ends here: it had become as large as one may be',
  failed: 'The recording ends here: it could not be written',
}
/** How much is written between two looks at what is left on the disk, in bytes. */
const LOOK_EVERY_BYTES = 4_194_304

/** The file cannot go on; what is in it stays. */
export class LossError extends Error {
  override readonly name = 'LossError'
  readonly loss: Loss

  constructor(loss: Loss, options?: ErrorOptions) {
    super(LOSS_MARKS[loss], options)
    this.loss = loss
  }
}

export interface CastLimits {
  /** Largest size of one file, in bytes. */
  readonly maxBytes: number
  /** Nothing is written when less than this is free on the disk, in bytes. */
  readonly minFreeBytes: number
}

/** Of all files: nothing else happens on their thread while some are put together. */
const lines = new Lines()

/** Where a recording is written, and how. */
interface CastTarget {
  readonly path: string
  readonly secrets: readonly string[]
  readonly limits: CastLimits
}

export class CastFile {
  readonly #fd: number
  readonly #target: CastTarget
  readonly #output: Masks
  readonly #input: Masks
  #length = 0
  #lookAt = 0
  /** Milliseconds after the start of what was written last; time does not go back in a recording. */
  #atMs = 0
  /** Everything before it has come in. */
  #offset: number

  private constructor(fd: number, target: CastTarget, { offset, atMs }: Position) {
    this.#fd = fd
    this.#target = target
    this.#output = new Masks(target.secrets)
    this.#input = new Masks(target.secrets)
    this.#offset = offset
    this.#atMs = atMs
  }

  /** Of a session whose output begins at `offset`. Throws a {@link LossError}. */
  static create(target: CastTarget, header: CastHeader, offset: number): CastFile {
    // Never over one that is there.
    const fd = opened(target.path, 'wx')
    return CastFile.#begin(fd, target, { offset, atMs: 0 }, (file) =>
      file.#append(lines.begin().add(headerLine(header))),
    )
  }

  /**
   * Goes on with one that another backend left, after the last output that is surely in it: what follows there is cut off,
   * and comes again. Throws a {@link LossError}.
   */
  static resume(target: CastTarget): CastFile {
    const fd = opened(target.path, 'r+')
    const last = lastPosition(fd)
    if (!last) {
      closeSync(fd)
      throw new LossError('failed')
    }
    return CastFile.#begin(fd, target, last, (file) => {
      ftruncateSync(fd, last.length)
      file.#length = last.length
    })
  }

  /** Ends one that nobody goes on with, with `mark`. Answers how long it is, in bytes and in milliseconds. */
  static closeLeft(path: string, mark: string): { bytes: number; atMs: number } {
    const fd = opened(path, 'r+')
    try {
      const length = wholeLines(fd)
      ftruncateSync(fd, length)
      const line = eventLine(0, 'm', mark)
      // Where even this does not fit the file stays as it is.
      const bytes = length + (written(fd, line, length) ? line.length : 0)
      if (bytes === length) cut(fd, length)
      return { bytes, atMs: lastPosition(fd)?.atMs ?? 0 }
    } finally {
      closeSync(fd)
    }
  }

  static #begin(fd: number, target: CastTarget, position: Position, first: (file: CastFile) => void): CastFile {
    const file = new CastFile(fd, target, position)
    try {
      first(file)
      return file
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** All output before it is in the file. */
  get taken(): number {
    return this.#offset - this.#output.held
  }

  get length(): number {
    return this.#length
  }

  get atMs(): number {
    return this.#atMs
  }

  /** What it has already is left out; of what is missing a mark says so. Throws a {@link LossError}, like all that follow. */
  output(chunk: Uint8Array, offset: number, atMs: number): void {
    const known = Math.max(0, this.#offset - offset)
    if (known >= chunk.length) return
    lines.begin()
    if (offset > this.#offset) this.#addRest().add(this.#line(atMs, 'm', 'Some output is missing here'))
    this.#offset = offset + chunk.length
    const told = this.#output.push(chunk.subarray(known))
    if (told.length > 0) lines.addData(this.#since(atMs), 'o', told)
    if (!lines.isEmpty) this.#append(lines)
  }

  input(data: Uint8Array, atMs: number): void {
    const told = this.#input.push(data)
    if (told.length > 0) this.#append(lines.begin().addData(this.#since(atMs), 'i', told))
  }

  /** They are masked from here on, too. */
  learn(secrets: readonly string[]): void {
    this.#output.learn(secrets)
    this.#input.learn(secrets)
  }

  event(code: CastEvent, data: string, atMs: number): void {
    this.#append(lines.begin().add(this.#line(atMs, code, data)))
  }

  /** Nothing follows: what was held back is told. */
  finish(): void {
    lines.begin()
    this.#append(this.#addRest())
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** The last words, with what room is left for them. */
  lose({ loss }: LossError): void {
    const line = eventLine(0, 'm', LOSS_MARKS[loss])
    // What was written in part makes room.
    cut(this.#fd, this.#length)
    if (written(this.#fd, line, this.#length)) this.#length += line.length
    else cut(this.#fd, this.#length)
  }

  #addRest(): Lines {
    const [output, input] = [this.#output.flush(), this.#input.flush()]
    if (output.length > 0) lines.addData(0, 'o', output)
    if (input.length > 0) lines.addData(0, 'i', input)
    return lines
  }

  #line(atMs: number, code: CastEvent, data: string): Buffer {
    return eventLine(this.#since(atMs), code, data)
  }

  #since(atMs: number): number {
    const since = Math.max(0, Math.round(atMs) - this.#atMs)
    this.#atMs += since
    return since
  }

  /** In one write, with the position behind it: both are there, or the next writer cuts off what is. */
  #append(lines: Lines): void {
    const { limits, path } = this.#target
    const { bytes } = lines.add(positionLine({ offset: this.taken, atMs: this.#atMs }))
    if (this.#length + bytes.length > limits.maxBytes) throw new LossError('too_large')
    if (this.#length >= this.#lookAt) {
      this.#lookAt = this.#length + LOOK_EVERY_BYTES
      if (freeBytes(path) < limits.minFreeBytes) throw new LossError('disk_full')
    }
    write(this.#fd, bytes, this.#length)
    this.#length += bytes.length
  }
}

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

const lossOf = (error: unknown): LossError => {
  const { code } = error as NodeJS.ErrnoException
  return new LossError(code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'failed', { cause: error })
}

/** Readable by the server's own user alone. */
const opened = (path: string, flags: 'wx' | 'r+'): number => {
  try {
    if (flags === 'wx') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, flags, 0o600)
  } catch (error) {
    throw lossOf(error)
  }
}

const write = (fd: number, bytes: Buffer, at: number): void => {
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done)
  } catch (error) {
    throw lossOf(error)
  }
}

/** Takes away the piece of a line. Where even that fails, readers leave it out. */
const cut = (fd: number, length: number): void => {
  try {
    ftruncateSync(fd, length)
  } catch {
    // The disk is broken, and there is nobody to tell.
  }
}

const written = (fd: number, bytes: Buffer, at: number): boolean => {
  try {
    write(fd, bytes, at)
    return true
  } catch {
    return false
  }
}
