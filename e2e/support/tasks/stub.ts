/** The coding CLI of the tests in an agent, as custom providers. */
import { readFileSync } from 'node:fs'
import type { AgentProcess, CliProvider } from '@slipway/protocol'
import { type Client, uniqueName } from '../api.ts'
import { sh } from './model.ts'

const STUB = readFileSync(new URL('../agent/stub-cli.mjs', import.meta.url))
/** The program of the tests' providers. */
export const BINARY = '/home/developer/stub-cli.mjs'

/** A running agent that has the CLI. */
export const agentWithStub = async (client: Client): Promise<string> => {
  const { name } = await client.agent()
  await client.upload(name, 'stub-cli.mjs', STUB)
  await sh(client, name, `chmod +x ${BINARY}`)
  return name
}

/** A custom provider of the CLI. Its prompt is on standard input, and its output is a stream. */
export const stubProvider = (client: Client, fields: object = {}): Promise<CliProvider> =>
  client.ok('POST', '/cli-providers', {
    name: uniqueName(),
    display_name: 'Stub',
    binary: BINARY,
    default_args: ['--via', 'stdin'],
    prompt_via: 'stdin',
    output_format: 'stream-json',
    ...fields,
  })

/** What a task has left in an agent. */
export const leftIn = async (client: Client, agent: string): Promise<string[]> => {
  const { items } = await client.ok<{ items: AgentProcess[] }>('GET', `/agents/${agent}/processes`)
  return items.map(({ command }) => command)
}
