/**
 * Files in and out of an agent's home, through programs of its container that run as its own user. Never through the
 * engine's archive API, which works as root of the machine and follows what a container can exchange under it.
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

/** What is asked for, by whom. */
export interface FileRequest {
  readonly found: Found
  readonly arrival: Arrival
  /** As the caller wrote it. */
  readonly path: PathBytes
}

/** A file on its way in. */
export interface Upload {
  /** In bytes. */
  readonly size: number
  readonly body: Readable
  /** Whether folders of its path that are missing are made. */
  readonly parents: boolean
}

/** A file, or a folder as a tar archive, on its way out. */
export interface Download {
  readonly path: PathBytes
  /** In bytes; null for a folder, whose archive is made while it is sent. */
  readonly size: number | null
  /** Fails when the transfer was cut off. Destroy it to let go. */
  readonly bytes: Readable
}

/** What is recorded before anything is executed. */
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

  /** Resolves when the file is in its place with all its `size` bytes; until then nothing of it is there. */
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

  /** Claims the place before anything is executed, and gives it back when that fails. */
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
    // The right may have been taken while the engine was starting it.
    if (closing.signal.aborted) program.close()
    closing.signal.addEventListener('abort', () => program.close())
    return { program, transfer, done }
  }
}

/** Of the line "file <bytes>"; null for "folder". The container may say anything. */
const sizeIn = (line: string): number | null => {
  if (line === 'folder') return null
  const size = Number(/^file (\d{1,15})$/.exec(line)?.[1] ?? Number.NaN)
  if (!Number.isSafeInteger(size)) throw new RuntimeError('engine_error', 'the script announced something else')
  return size
}

/** Hands the body over, no faster than the container takes it. Ends early when the program does, which its exit explains. */
const send = async (body: Readable, { input, exit }: ProgramStream): Promise<void> => {
  const over = exit.then(
    () => null,
    () => null,
  )
  // Told by the exit, too, and with the reason.
  input.on('error', () => undefined)
  const drained = (): Promise<true | null> =>
    once(input, 'drain').then(
      () => true,
      () => null,
    )
  const idle = setTimeout(() => body.destroy(new Error('nothing moved')), IDLE_MS)
  try {
    // The request is not destroyed with the loop: it has still to be answered.
    const chunks = body.iterator({ destroyOnReturn: false })
    for (;;) {
      // Who stops sending must not keep open what was taken from them.
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
