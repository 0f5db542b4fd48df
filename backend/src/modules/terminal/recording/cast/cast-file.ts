/**
 * One recording as a file. A single writer appends whole lines to it. It works synchronously, on the writer's own
 * thread.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CastEvent, type CastHeader, eventLine, headerLine, Lines, type Position, positionLine } from './lines.ts'
import { Masks } from './masks.ts'
import { lastPosition, wholeLines } from './tail.ts'

/** Why a recording ended before its session. */
export type Loss = 'disk_full' | 'too_large' | 'failed'

/** The last line of a recording that was lost, if there is room for it. */
const LOSS_MARKS: Record<Loss, string> = {
  disk_full: 'The recording ends here: the disk was full',
  too_large: 'The recording ends here: it reached the maximum size',
  failed: 'The recording ends here: it could not be written',
}
/** How much is written between two checks of the free disk space, in bytes. */
const LOOK_EVERY_BYTES = 4_194_304

/** The file cannot continue. Its content stays. */
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
  /** If less than this is free on the disk, nothing is written, in bytes. */
  readonly minFreeBytes: number
}

/** Shared by all files. The thread does nothing else between `begin` and the write. */
const lines = new Lines()

/** The path of a recording, and the rules for writing it. */
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
  /** Time of the last line, in milliseconds after the start. It never decreases. */
  #atMs = 0
  /** All output before this offset has arrived. */
  #offset: number

  private constructor(fd: number, target: CastTarget, { offset, atMs }: Position) {
    this.#fd = fd
    this.#target = target
    this.#output = new Masks(target.secrets)
    this.#input = new Masks(target.secrets)
    this.#offset = offset
    this.#atMs = atMs
  }

  /** Creates the file of a session whose output begins at `offset`. Throws a {@link LossError}. */
  static create(target: CastTarget, header: CastHeader, offset: number): CastFile {
    // Never overwrite an existing recording.
    const fd = opened(target.path, 'wx')
    return CastFile.#begin(fd, target, { offset, atMs: 0 }, (file) =>
      file.#append(lines.begin().add(headerLine(header))),
    )
  }

  /**
   * Continues a file that another backend left, after the last output that is surely in it. The rest is cut off,
   * because that output comes again. Throws a {@link LossError}.
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

  /** Ends a file that no session continues, with `mark`. Returns its length in bytes and in milliseconds. */
  static closeLeft(path: string, mark: string): { bytes: number; atMs: number } {
    const fd = opened(path, 'r+')
    try {
      const length = wholeLines(fd)
      ftruncateSync(fd, length)
      const line = eventLine(0, 'm', mark)
      // If there is no room for the mark either, the file stays as it is.
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

  /** All output before this offset is in the file. */
  get taken(): number {
    return this.#offset - this.#output.held
  }

  get length(): number {
    return this.#length
  }

  get atMs(): number {
    return this.#atMs
  }

  /**
   * Leaves out what the file has already. If output is missing, a mark says so. Throws a {@link LossError}, like all
   * methods below.
   */
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

  /** Masks these secrets, too, from here on. */
  learn(secrets: readonly string[]): void {
    this.#output.learn(secrets)
    this.#input.learn(secrets)
  }

  event(code: CastEvent, data: string, atMs: number): void {
    this.#append(lines.begin().add(this.#line(atMs, code, data)))
  }

  /** Writes what the masks held back, because no more output follows. */
  finish(): void {
    lines.begin()
    this.#append(this.#addRest())
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Writes the last line, if there is room for it. */
  lose({ loss }: LossError): void {
    const line = eventLine(0, 'm', LOSS_MARKS[loss])
    // Cutting off a partly written line makes room.
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

  /**
   * Writes the lines and the position after them at once. If only some of it is written, the next writer cuts that off.
   */
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

/** Opens a file that only the server's own user can read. */
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

/** Cuts off a partly written line. If this fails, readers leave the line out. */
const cut = (fd: number, length: number): void => {
  try {
    ftruncateSync(fd, length)
  } catch {
    // The disk is broken, and the loss is reported already.
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
