/** A model server inside an agent's container, whose answers are written down, and an agent that uses it. */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent, ExecResult } from '@slipway/protocol'
import type { Client } from '../api.ts'

const PORT = 9433
/** Its address in the agent. */
export const MODEL_SERVER = `http://127.0.0.1:${PORT}`

/** How a request fails. */
export interface Fault {
  /** The model fails with this HTTP status, and `say` as its message. */
  readonly status?: number
  readonly say?: string | readonly string[]
  /** The type of that failure, for Claude Code. */
  readonly error?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body of that failure, in place of the protocol's own. */
  readonly body?: object
  /** The connection breaks after the first half of the answer. */
  readonly cut?: true
}

/** One answer of the model, as `script.mjs` takes it. */
export interface Step extends Fault {
  /** In pieces, each of which is an event of the stream. */
  readonly say?: string | readonly string[]
  readonly tool?: string
  readonly input?: object
  /** What Codex's tool belongs to, if anything. */
  readonly namespace?: string
  /** The model waits with this answer until the file exists. */
  readonly gate?: string
  /** How the first requests for this answer fail, one after the other. */
  readonly fails?: readonly Fault[]
}

/** Runs a script in an agent, to its end, and returns its output. */
export const sh = async (client: Client, agent: string, script: string): Promise<string> => {
  const body = { argv: ['sh', '-c', script] }
  const { exitCode, stdout, stderr } = await client.ok<ExecResult>('POST', `/agents/${agent}/exec`, body)
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stdout}${stderr}`)
  return stdout
}

/** The answers of a model, or lists of them for the prompts that contain their names. */
export type Script = readonly Step[] | Readonly<Record<string, readonly Step[]>>

/** A CLI with a model server that speaks its protocol. */
export type Runtime = 'claude-code' | 'codex' | 'gemini-cli' | 'copilot' | 'opencode'

interface Setup {
  /** The server, and the files that it imports, in `../agent/`. */
  readonly server: readonly [string, ...string[]]
  /** What makes the CLI use the server. */
  readonly variables: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  /** The agent's model. */
  readonly model?: string
}

const OPENAI = ['openai-model.mjs', 'script.mjs'] as const

/** Without `-m`, Codex uses a model that has other tools. */
const CODEX_CONFIG = `model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${MODEL_SERVER}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`

const OPENCODE_CONFIG = {
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${MODEL_SERVER}/v1`, apiKey: '{env:SCRIPTED_KEY}' },
      // In US dollars for a million tokens.
      models: { one: { name: 'One', cost: { input: 1, output: 1 } } },
    },
  },
}

const SETUPS: Readonly<Record<Runtime, Setup>> = {
  'claude-code': {
    server: ['scripted-model.mjs', 'script.mjs'],
    variables: { ANTHROPIC_BASE_URL: MODEL_SERVER, ANTHROPIC_API_KEY: 'sk-ant-of-the-tests-0123456789' },
  },
  codex: {
    server: OPENAI,
    variables: { SCRIPTED_KEY: 'sk-of-the-tests-0123456789' },
    files: { '.codex/config.toml': CODEX_CONFIG },
    model: 'gpt-5',
  },
  'gemini-cli': {
    server: ['gemini-model.mjs', 'script.mjs'],
    variables: { GOOGLE_GEMINI_BASE_URL: MODEL_SERVER, GEMINI_API_KEY: 'gemini-of-the-tests-0123456789' },
    // By default Gemini first asks a model which model to use.
    model: 'flash',
  },
  copilot: {
    server: OPENAI,
    variables: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${MODEL_SERVER}/v1`,
      COPILOT_PROVIDER_API_KEY: 'copilot-of-the-tests-0123456789',
      COPILOT_MODEL: 'scripted',
    },
  },
  opencode: {
    server: OPENAI,
    variables: { SCRIPTED_KEY: 'sk-of-the-tests-0123456789' },
    files: { '.config/opencode/opencode.json': JSON.stringify(OPENCODE_CONFIG) },
    model: 'scripted/one',
  },
}

/** Starts the model server of an agent, also after the agent was stopped. */
export const startModelIn = async (client: Client, agent: string, runtime: Runtime): Promise<void> => {
  const start = `setsid node ${SETUPS[runtime].server[0]} ${PORT} steps.json >model.log 2>&1 & n=0
    until curl -s -o model.up ${MODEL_SERVER}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`
  await sh(client, agent, start)
}

/** An agent whose CLI answers as this script says. */
export const agentWithModel = async (
  client: Client,
  script: Script,
  runtime: Runtime = 'claude-code',
): Promise<Agent> => {
  const { server, variables, files = {}, model } = SETUPS[runtime]
  const agent = await client.agent({ runtime, ...(model === undefined ? {} : { model }) })
  for (const name of server)
    await client.upload(agent.name, name, readFileSync(new URL(`../agent/${name}`, import.meta.url)))
  await client.upload(agent.name, 'steps.json', JSON.stringify(script))
  for (const [path, content] of Object.entries(files)) {
    await sh(client, agent.name, `mkdir -p ${dirname(path)}`)
    await client.upload(agent.name, path, content)
  }
  await startModelIn(client, agent.name, runtime)
  for (const [name, value] of Object.entries(variables))
    await client.ok('PUT', `/agents/${agent.name}/variables/${name}`, { value, secret: name.endsWith('KEY') })
  return agent
}
