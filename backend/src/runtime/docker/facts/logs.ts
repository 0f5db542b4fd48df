/** The log of a container: its newest lines, and new ones as they come. */
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { LogLine } from '../../port.ts'
import { toRuntimeError, typed } from '../errors.ts'
import { LogFrames } from './log-frames.ts'

/** Most bytes that are read of a log's end. A hostile container may have written 30 MB in lines of any length. */
const TAIL_BYTES = 1_048_576

interface LogOptions {
  readonly follow: boolean
  readonly tail?: number
  /** Seconds since 1970 with nanoseconds, in Docker's format. */
  readonly since?: string
  readonly abortSignal?: AbortSignal
}

/** Opens the log as a stream, because `container.logs` would buffer all of it. */
const open = (docker: Docker, containerId: string, { abortSignal, ...options }: LogOptions): Promise<Readable> =>
  new Promise((resolve, reject) => {
    docker.modem.dial(
      {
        path: `/containers/${containerId}/logs?`,
        method: 'GET',
        ...(abortSignal ? { abortSignal } : {}),
        isStream: true,
        statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
        options: { stdout: true, stderr: true, timestamps: true, ...options },
      },
      (error, stream) => (error ? reject(toRuntimeError(error)) : resolve(stream as Readable)),
    )
  })

/** The newest `tail` lines, or fewer if they exceed {@link TAIL_BYTES}. */
export const readLogs = (docker: Docker, containerId: string, tail: number): Promise<LogLine[]> =>
  typed(async () => {
    const frames = new LogFrames()
    const kept: LogLine[] = []
    let bytes = 0
    for await (const chunk of await open(docker, containerId, { follow: false, tail })) {
      for (const line of frames.push(chunk as Buffer)) {
        kept.push(line)
        bytes += line.text.length
      }
      while (bytes > TAIL_BYTES) bytes -= kept.shift()?.text.length ?? bytes
    }
    return kept
  })

/**
 * As {@link ContainerRuntime.followLogs}. `docker` must have no timeout, because the response begins with the first
 * line.
 */
export async function* followLogs(
  docker: Docker,
  containerId: string,
  { since, signal }: { readonly since: string | null; readonly signal: AbortSignal },
): AsyncGenerator<LogLine[], void, undefined> {
  const frames = new LogFrames()
  try {
    const from = since === null ? {} : { since: toDockerTime(since) }
    const stream = await open(docker, containerId, { follow: true, ...from, abortSignal: signal })
    for await (const chunk of stream) {
      // Docker's `since` includes the line of that time.
      const lines = frames.push(chunk as Buffer).filter(({ at }) => since === null || at > since)
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    if (!signal.aborted) throw toRuntimeError(error)
  }
}

/** "2030-01-01T00:00:00.123456789Z" as "1893456000.123456789". A number would lose the last digits. */
const toDockerTime = (at: string): string => {
  const fraction = /\.(\d{1,9})Z$/.exec(at)?.[1] ?? '0'
  return `${Math.floor(Date.parse(at) / 1000)}.${fraction}`
}
