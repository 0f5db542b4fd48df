/**
 * Transfers files into and out of an agent's home by programs that run in its container as its own user. Never by the
 * engine's archive API. That runs as root of the machine, and follows links that a program in the container can
 * exchange meanwhile.
 */
import { once } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { ProgramStream } from '../../runtime/port.ts'
import { asAppError } from '../../runtime/app-error.ts'
import { IDLE_MS, Meter } from './meter.ts'
import { toHomePath, toTarget } from './path.ts'
import { octalEscaped, type PathBytes, recordable } from './path-bytes.ts'
import { failureOf, firstLine, scriptArgv, somethingElse } from './program.ts'
import type { Asked, FilePrograms } from './programs.ts'
import { type FileVersion, isVersion, VERSION_CHARS } from './version.ts'

interface Parts {
  readonly programs: Pick<FilePrograms, 'start'>
  readonly newId: NewId
}

/** A transfer that a caller requests. */
export interface FileRequest extends Asked {
  /** As the caller wrote it. */
  readonly path: PathBytes
}

/** A file to write into the home. */
export interface Upload {
  /** In bytes. */
  readonly size: number
  readonly body: Readable
  /** Whether to create missing folders of its path. */
  readonly parents: boolean
  /** What must be in the file's place: the file of a version, or nothing (`ABSENT`). Null: anything. */
  readonly expected: FileVersion | null
}

/** A part of a file, in bytes. */
export interface Part {
  /** The first byte, from 0. */
  readonly from: number
  /** At most so many bytes. */
  readonly count: number
}

/** A file from the home, or a folder as a tar archive. */
export interface Download {
  readonly path: PathBytes
  /** The absolute path with links followed, and the version. Null for a folder. */
  readonly file: { readonly real: PathBytes; readonly version: FileVersion; readonly size: number } | null
  /** The part that is sent; null: the whole. */
  readonly part: Part | null
  /** Of what is sent, in bytes; null for a folder, whose archive is created while it is sent. */
  readonly size: number | null
  /** Fails if the transfer was cut off. Destroy it to end the transfer. */
  readonly bytes: Readable
}

export class FileService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A part that begins after the end of the file is answered by the whole file. */
  async read({ path: wanted, ...request }: FileRequest, wantedPart: Part | null): Promise<Download> {
    const path = toHomePath(wanted)
    const began = { action: 'file.downloaded', facts: { path: recordable(path) } } as const
    const range = wantedPart === null ? [] : [String(wantedPart.from + 1), String(wantedPart.count)]
    const argv = scriptArgv('read', octalEscaped(path), ...range)
    const { program, end } = await this.#parts.programs.start(request, argv, began)
    try {
      const file = fileIn(await firstLine(program))
      const part = file === null ? null : partOf(wantedPart, file.size)
      const size = part?.count ?? file?.size ?? null
      const complete = async (): Promise<void> => {
        const { exitCode } = await program.exit
        if (exitCode !== 0) throw failureOf(exitCode)
      }
      const meter = new Meter({ size, complete })
      pipeline(program.output, meter, end)
      return { path, file, part, size, bytes: meter }
    } catch (error) {
      end()
      throw asAppError(error)
    }
  }

  /**
   * Resolves with the new version when the file is in its place with all its `size` bytes. Until then its name does not
   * exist, or has its old content.
   */
  async write({ path, ...request }: FileRequest, { size, body, parents, expected }: Upload): Promise<FileVersion> {
    const { folder, name } = toTarget(path)
    const draft = `.slipway-upload-${this.#parts.newId()}`
    const argv = scriptArgv(
      'write',
      ...[octalEscaped(folder), octalEscaped(name), String(size), draft, parents ? 'parents' : '', expected ?? ''],
    )
    const began = { action: 'file.uploaded', facts: { path: recordable(`${folder}/${name}`), size } } as const
    const { program, end } = await this.#parts.programs.start(request, argv, began)
    try {
      await firstLine(program)
      const version = lastLine(program.output)
      await send(body, program)
      const { exitCode } = await program.exit
      if (exitCode !== 0) throw failureOf(exitCode)
      return versionIn(await version)
    } catch (error) {
      throw asAppError(error)
    } finally {
      end()
    }
  }
}

/** Null if the part begins after the end. */
const partOf = (part: Part | null, size: number): Part | null =>
  part === null || part.from >= size ? null : { ...part, count: Math.min(part.count, size - part.from) }

/** Parses the line "file <bytes> <version> <path>"; null for "folder". The container's output is not trusted. */
const fileIn = (line: string): Download['file'] => {
  if (line === 'folder') return null
  const [, size, version, path] = /^file (\d{1,15}) ([\d-]+) ((?:[\da-f]{2})+)$/.exec(line) ?? []
  if (size === undefined || version === undefined || path === undefined || !isVersion(version)) throw somethingElse()
  const real = Buffer.from(path, 'hex').toString('latin1')
  if (!real.startsWith(`${AGENT_HOME}/`)) throw somethingElse()
  return { size: Number(size), version, real }
}

const versionIn = (line: string): FileVersion => {
  if (!isVersion(line)) throw somethingElse()
  return line
}

/** The rest of a script's output: one line. More than a version has is dropped. */
const lastLine = async (output: Readable): Promise<string> => {
  let line = ''
  try {
    for await (const chunk of output as AsyncIterable<Buffer>)
      if (line.length <= VERSION_CHARS) line += chunk.toString('latin1')
  } catch {
    // The exit code says why.
  }
  return line.trimEnd()
}

/** Sends the body as fast as the container reads it. Ends early if the program ends; its exit code says why. */
const send = async (body: Readable, { input, exit }: ProgramStream): Promise<void> => {
  const over = exit.then(
    () => null,
    () => null,
  )
  // The exit code reports it, too, with the reason.
  input.on('error', () => undefined)
  const drained = (): Promise<true | null> =>
    once(input, 'drain').then(
      () => true,
      () => null,
    )
  const idle = setTimeout(() => body.destroy(new Error('nothing moved')), IDLE_MS)
  try {
    // The request must stay open after the loop, since its answer follows.
    const chunks = body.iterator({ destroyOnReturn: false })
    for (;;) {
      // A client that stops sending must not keep the transfer open after its program has ended.
      const next = await Promise.race([chunks.next() as Promise<IteratorResult<Buffer, undefined>>, over])
      if (next === null) return
      if (next.done) break
      idle.refresh()
      if (input.destroyed) return
      if (!input.write(next.value) && !(await Promise.race([drained(), over]))) return
    }
    input.end()
  } catch {
    throw new AppError('VALIDATION', 'The file ended before its announced length.')
  } finally {
    clearTimeout(idle)
  }
}
