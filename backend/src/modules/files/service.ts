/**
 * Transfers files into and out of an agent's home by programs that run in its container as its own user. Never by the
 * engine's archive API. That runs as root of the machine, and follows links that a program in the container can
 * exchange meanwhile.
 */
import { once } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime, ProgramStream } from '../../runtime/port.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { Arrival } from '../access/loss.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Audit, Facts } from '../audit/audit.ts'
import { actorOf } from '../identity/caller.ts'
import { IDLE_MS, Meter } from './meter.ts'
import { toHomePath, toTarget } from './path.ts'
import { octalEscaped, type PathBytes, recordable } from './path-bytes.ts'
import { failureOf, firstLine, scriptArgv } from './program.ts'
import type { Transfer, Transfers } from './transfers.ts'

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'stream'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly transfers: Transfers
  readonly newId: NewId
  readonly audit: Pick<Audit, 'recordNow'>
}

/** A transfer that a caller requests. */
export interface FileRequest {
  readonly found: Found
  readonly arrival: Arrival
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
}

/** A file from the home, or a folder as a tar archive. */
export interface Download {
  readonly path: PathBytes
  /** In bytes; null for a folder, whose archive is created while it is sent. */
  readonly size: number | null
  /** Fails if the transfer was cut off. Destroy it to end the transfer. */
  readonly bytes: Readable
}

/** The record of the start, written before the program runs. */
interface Began {
  readonly action: 'file.downloaded' | 'file.uploaded'
  readonly facts: Facts
}

export class FileService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async read({ path: wanted, ...request }: FileRequest): Promise<Download> {
    const path = toHomePath(wanted)
    const began = { action: 'file.downloaded', facts: { path: recordable(path) } } as const
    const { program, transfer, done } = await this.#start(request, began, scriptArgv('read', octalEscaped(path)))
    try {
      const size = sizeIn(await firstLine(program))
      const complete = async (): Promise<void> => {
        const { exitCode } = await program.exit
        if (exitCode !== 0) throw failureOf(exitCode)
      }
      const meter = new Meter({ size, complete })
      pipeline(program.output, meter, () => {
        transfer.close()
        done()
      })
      return { path, size, bytes: meter }
    } catch (error) {
      transfer.close()
      done()
      throw asAppError(error)
    }
  }

  /** Resolves when the file is in its place with all its `size` bytes. Until then its name does not exist. */
  async write({ path, ...request }: FileRequest, { size, body, parents }: Upload): Promise<void> {
    const { folder, name } = toTarget(path)
    const draft = `.slipway-upload-${this.#parts.newId()}`
    const argv = scriptArgv(
      'write',
      ...[octalEscaped(folder), octalEscaped(name), String(size), draft, parents ? 'parents' : ''],
    )
    const began = { action: 'file.uploaded', facts: { path: recordable(`${folder}/${name}`), size } } as const
    const { program, transfer, done } = await this.#start(request, began, argv)
    try {
      await firstLine(program)
      program.output.resume()
      await send(body, program)
      const { exitCode } = await program.exit
      if (exitCode !== 0) throw failureOf(exitCode)
    } catch (error) {
      throw asAppError(error)
    } finally {
      transfer.close()
      done()
    }
  }

  /** Takes one of the agent's transfers before the program starts, and frees it if the start fails. */
  async #start({ found, arrival }: Omit<FileRequest, 'path'>, began: Began, argv: readonly string[]) {
    const { runtime, agents, transfers, audit } = this.#parts
    const { runningId } = agents.snapshot(found.row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    const closing = new AbortController()
    const transfer: Transfer = { ...found, close: () => closing.abort() }
    const done = (): void => transfers.end(transfer)
    transfers.begin(transfer, arrival)
    const record = { actor: actorOf(found.caller), action: began.action, ...agentEvent(found.row, began.facts) }
    const program = await audit
      .recordNow(record)
      .then(() => runtime.stream(runningId, argv))
      .catch((error: unknown) => {
        done()
        throw asAppError(error)
      })
    // The caller may have lost the right while the engine started the program.
    if (closing.signal.aborted) program.close()
    closing.signal.addEventListener('abort', () => program.close())
    return { program, transfer, done }
  }
}

/** Parses the line "file <bytes>"; null for "folder". The container's output is not trusted. */
const sizeIn = (line: string): number | null => {
  if (line === 'folder') return null
  const size = Number(/^file (\d{1,15})$/.exec(line)?.[1] ?? Number.NaN)
  if (!Number.isSafeInteger(size)) throw new RuntimeError('engine_error', 'the script announced something else')
  return size
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
