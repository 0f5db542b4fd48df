/** A connection that a client forwards to a port of the agent. It leads nowhere else. */
import type { Duplex } from 'node:stream'
import type { ServerChannel, TcpipRequestInfo } from 'ssh2'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import { isOwn } from './commands.ts'
import { ChannelOutput, type SocketRoom } from './output.ts'

export interface ForwardContext {
  readonly room: SocketRoom
  /** Connects to a port of the agent's loopback. */
  readonly dial: (port: number) => Promise<Duplex>
  readonly log: Log
}

/** How the client's request is answered. */
export interface ForwardAnswer {
  readonly accept: () => ServerChannel
  readonly refuse: (sentence: string) => void
}

/** Why a target is refused, or null. */
export const refusalOfTarget = ({ destIP, destPort }: Pick<TcpipRequestInfo, 'destIP' | 'destPort'>): string | null => {
  if (!isOwn(destIP)) return 'only ports of the agent itself are forwarded: use localhost, 127.0.0.1 or ::1'
  return destPort >= 1 && destPort <= 65_535 ? null : 'a port is a number from 1 to 65535'
}

/** Resolves when the connection is closed, or was refused. `end` closes it. */
export const forward = async (
  { room, dial, log }: ForwardContext,
  target: Pick<TcpipRequestInfo, 'destIP' | 'destPort'>,
  { accept, refuse }: ForwardAnswer,
  end: AbortSignal,
): Promise<void> => {
  const refusal = refusalOfTarget(target)
  if (refusal !== null) return refuse(refusal)
  let stream: Duplex
  try {
    stream = await dial(target.destPort)
  } catch (error) {
    if (error instanceof AppError) return refuse(error.message)
    if (!(error instanceof Error && error.name === 'DialError'))
      log.warn({ err: error }, 'a port of an agent could not be reached over ssh')
    return refuse(`port ${target.destPort} of the agent could not be reached`)
  }
  const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()))
  if (end.aborted) stream.destroy()
  else join(accept(), stream, room, end)
  await closed
}

/** Joins the two until one of them closes. */
const join = (channel: ServerChannel, stream: Duplex, room: SocketRoom, end: AbortSignal): void => {
  const output = new ChannelOutput(channel, room, {
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
  })
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => output.push('stdout', chunk))
  stream.on('drain', () => void channel.resume())
  stream.once('end', () => void output.flushed().then(() => channel.end()))
  stream.once('close', () => void output.flushed().then(() => channel.end()))
  channel.on('data', (chunk: Buffer) => {
    if (!stream.write(chunk)) channel.pause()
  })
  channel.once('end', () => stream.end())
  // The client has closed it. What it had sent before still arrives.
  channel.once('close', () => {
    output.close()
    if (stream.writableFinished) stream.destroy()
    else stream.once('finish', () => stream.destroy())
  })
  const destroy = (): void => void stream.destroy()
  end.addEventListener('abort', destroy, { once: true })
  // A connection forwards any number of them, one after another.
  stream.once('close', () => end.removeEventListener('abort', destroy))
}
