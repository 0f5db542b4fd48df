/** A program of an agent's own, which no terminal started. */
import { finished } from 'node:stream/promises'
import { inject } from 'vitest'
import { docker } from './engine.ts'

/** Runs a script in an agent of the shared server and waits for its end. */
export const runIn = async (agent: string, script: string): Promise<void> => {
  const container = docker.getContainer(`${inject('namespace')}-agent-${agent}`)
  const exec = await container.exec({ Cmd: ['sh', '-c', script], User: '1000', AttachStdout: true })
  const stream = await exec.start({})
  await finished(stream.resume())
}
