/** The coding CLI of the tests in an agent: as custom providers, or in place of the built-in CLIs. */
import { readFileSync } from 'node:fs'
import type { AgentProcess, CliProvider } from '@slipway/protocol'
import { type Client, uniqueName } from '../api.ts'
import { sh } from './model.ts'

const FILES = ['stub-cli.mjs', 'stub-forms.mjs'] as const
/** The program of the tests' providers. */
export const BINARY = '/home/developer/stub-cli.mjs'

/** The programs of the built-in providers that run tasks. */
export const BUILT_IN = {
  'claude-code': 'claude',
  codex: 'codex',
  'gemini-cli': 'gemini',
  copilot: 'copilot',
  opencode: 'opencode',
} as const
export type BuiltIn = keyof typeof BUILT_IN

/** A running agent that has the CLI, also in place of these built-in ones. */
export const agentWithStub = async (client: Client, ...inPlaceOf: readonly BuiltIn[]): Promise<string> => {
  const { name } = await client.agent()
  await putStub(client, name, ...inPlaceOf)
  return name
}

/**
 * Puts programs that only say a version in place of these CLIs. A page that asks all CLIs of an agent for their versions
 * costs almost four seconds of CPU time otherwise, most of it for these three.
 */
export const quicken = async (
  client: Client,
  name: string,
  which: readonly BuiltIn[] = ['gemini-cli', 'copilot', 'opencode'],
): Promise<void> => {
  const paths = which.map((provider) => `.local/bin/${BUILT_IN[provider]}`).join(' ')
  const script = `mkdir -p .local/bin; for path in ${paths}; do printf '#!/bin/sh\necho 1.0.0\n' >$path; chmod +x $path; done`
  await sh(client, name, script)
}

/** Gives a running agent the CLI, also in place of these built-in ones. */
export const putStub = async (client: Client, name: string, ...inPlaceOf: readonly BuiltIn[]): Promise<void> => {
  for (const file of FILES) await client.upload(name, file, readFileSync(new URL(`../agent/${file}`, import.meta.url)))
  await sh(client, name, `chmod +x ${BINARY}; mkdir -p .local/bin`)
  // This folder comes first on the path.
  for (const binary of inPlaceOf.map((provider) => BUILT_IN[provider])) {
    const path = `.local/bin/${binary}`
    await client.upload(name, path, `#!/bin/sh\nexec ${BINARY} --as ${binary} "$@"\n`)
    await sh(client, name, `chmod +x ${path}`)
  }
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

/** A custom provider whose CLI is a shell: the prompt is its script, and its output the result. Answers its name for tasks. */
export const shellProvider = async (client: Client): Promise<string> => {
  const shell = { binary: 'sh', default_args: ['-c'], prompt_via: 'argument', output_format: 'text' }
  return `custom:${(await stubProvider(client, shell)).name}`
}

/** What a task has left in an agent. */
export const leftIn = async (client: Client, agent: string): Promise<string[]> => {
  const { items } = await client.ok<{ items: AgentProcess[] }>('GET', `/agents/${agent}/processes`)
  return items.map(({ command }) => command)
}
