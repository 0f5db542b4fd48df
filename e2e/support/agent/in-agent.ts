/** Runs a program in an agent without a terminal. */
import { text } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'
import { inject } from 'vitest'
import { docker } from '../engine.ts'

/** Methods that dockerode's types lack. */
interface Demultiplexer {
  demuxStream(from: NodeJS.ReadableStream, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): void
}

/** Runs a script in an agent, of the shared server by default, waits for its end and returns its output. */
export const readIn = async (agent: string, script: string, namespace = inject('namespace')): Promise<string> => {
  const container = docker.getContainer(`${namespace}-agent-${agent}`)
  const exec = await container.exec({ Cmd: ['sh', '-c', script], AttachStdout: true })
  const stream = await exec.start({})
  const stdout = new PassThrough()
  const modem = docker.modem as Demultiplexer
  modem.demuxStream(stream, stdout, new PassThrough().resume())
  stream.on('end', () => stdout.end())
  return text(stdout)
}

/** Runs a script and ignores its output. */
export const runIn = async (agent: string, script: string, namespace?: string): Promise<void> =>
  void (await readIn(agent, script, namespace))
