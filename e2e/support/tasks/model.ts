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

/** Each CLI's model server, and what makes the CLI use it. */
export const SETUPS: Readonly<Record<Runtime, Setup>> = {
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

/** The script that starts the model server in an agent, from the files in its home. */
export const startModel = (runtime: Runtime, { port, log } = { port: PORT, log: 'model.log' }): string =>
  `setsid node ${SETUPS[runtime].server[0]} ${port} steps.json >${log} 2>&1 & n=0
    until curl -s -o model.up http://127.0.0.1:${port}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`

/** Starts the model server of an agent, also after the agent was stopped. */
export const startModelIn = async (client: Client, agent: string, runtime: Runtime): Promise<void> => {
  await sh(client, agent, startModel(runtime))
}

/** An agent whose CLI answers as this script says. */
export const agentWithModel = async (
  client: Client,
  script: Script,
  runtime: Runtime = 'claude-code',
): Promise<Agent> => {
  const { model } = SETUPS[runtime]
  const agent = await client.agent({ runtime, ...(model === undefined ? {} : { model }) })
  await client.upload(agent.name, 'steps.json', JSON.stringify(script))
  await setUp(client, agent.name, runtime)
  await startModelIn(client, agent.name, runtime)
  return agent
}

/** The files and the variables with which a CLI uses its model server. */
const setUp = async (client: Client, agent: string, runtime: Runtime, url = MODEL_SERVER): Promise<void> => {
  const { server, variables, files = {} } = SETUPS[runtime]
  const at = (text: string): string => text.replaceAll(MODEL_SERVER, url)
  for (const name of server)
    await client.upload(agent, name, readFileSync(new URL(`../agent/${name}`, import.meta.url)))
  for (const [path, content] of Object.entries(files)) {
    await sh(client, agent, `mkdir -p ${dirname(path)}`)
    await client.upload(agent, path, at(content))
  }
  for (const [name, value] of Object.entries(variables))
    await client.ok('PUT', `/agents/${agent}/variables/${name}`, { value: at(value), secret: name.endsWith('KEY') })
}

/** An agent with several CLIs that answer as one script says. The first one is its own. */
export const agentWithModels = async (
  client: Client,
  script: Script,
  runtimes: readonly [Runtime, ...Runtime[]],
): Promise<Agent> => {
  const agent = await client.agent({ runtime: runtimes[0], memoryMb: 4096 })
  await client.upload(agent.name, 'steps.json', JSON.stringify(script))
  const ports = new Map<string, number>()
  for (const runtime of runtimes) {
    const [name] = SETUPS[runtime].server
    const port = ports.get(name) ?? PORT + ports.size
    await setUp(client, agent.name, runtime, `http://127.0.0.1:${port}`)
    if (!ports.has(name)) await sh(client, agent.name, startModel(runtime, { port, log: `${name}.log` }))
    ports.set(name, port)
  }
  return agent
}
