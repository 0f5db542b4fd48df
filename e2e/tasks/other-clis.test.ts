/** Tasks of the other real CLIs, against model servers whose answers are written down. They share an agent. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { processesIn } from '../support/engine.ts'
import { ASKED_MS, endedTask, eventsOf, startTask } from '../support/tasks/follow.ts'
import { agentWithModels, type Runtime, type Script, SETUPS, sh, type Step } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
const HOME = '/home/developer'
/** A file that no test makes. */
const NEVER = '/tmp/never'

interface Cli {
  readonly runtime: Runtime
  /** The step with which its model runs a shell command. */
  runs(command: string): Step
  /** The exit code that it tells of a command that succeeds with an output. */
  readonly exitCode: 0 | null
  /** It starts in a folder that no user has trusted, and ignores the folder's settings. */
  readonly ignoresSettings?: true
}

const bash = (command: string): Step => ({ tool: 'bash', input: { command, description: 'A command of the tests' } })

const CLIS: readonly Cli[] = [
  { runtime: 'codex', exitCode: 0, ignoresSettings: true, runs: (cmd) => ({ tool: 'exec_command', input: { cmd } }) },
  {
    runtime: 'gemini-cli',
    exitCode: null,
    runs: (command) => ({ tool: 'run_shell_command', input: { command } }),
  },
  { runtime: 'opencode', exitCode: 0, runs: bash },
  { runtime: 'copilot', exitCode: 0, runs: bash },
]

const scriptFor = ({ runtime, runs }: Cli): Script => ({
  [`@write-${runtime}`]: [
    runs('exit 3'),
    runs(`echo made > ${HOME}/made-${runtime}; cat ${HOME}/made-${runtime}`),
    { say: 'The file is there.' },
  ],
  [`@wait-${runtime}`]: [runs('tail -f /dev/null --pid=1'), { say: 'It is over.' }],
  [`@silent-${runtime}`]: [{ say: 'Too late.', gate: NEVER }],
  [`@refused-${runtime}`]: [{ status: 401, say: 'this key is not valid' }],
  [`@remember-${runtime}`]: [{ say: 'I remember 42.' }],
})

let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const script = Object.assign({}, ...CLIS.map(scriptFor)) as Script
  agent = (await agentWithModels(owner, script, ['codex', 'gemini-cli', 'opencode', 'copilot'])).name
})
/** Ends what a test left. */
afterEach(async () => {
  for (const { id } of await owner.ok<CodingSession[]>('GET', SESSIONS)) {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(owner, id)
  }
})

describe.each(CLIS)('a task of $runtime', (cli) => {
  const { model, server } = SETUPS[cli.runtime]
  const prompted = (name: string): string => `@${name}-${cli.runtime}`
  const [remember, write] = [prompted('remember'), prompted('write')]
  const start = (prompt: string, more: object = {}): Promise<CodingSession> =>
    startTask(owner, { agent, provider: cli.runtime, model, prompt, ...more })
  const run = async (prompt: string, more: object = {}): Promise<CodingSession> =>
    endedTask(owner, (await start(prompt, more)).id)
  const processes = (): Promise<string[]> => processesIn(`${inject('namespace')}-agent-${agent}`)
  /** What the model server prints. */
  const log = (): Promise<string> => sh(owner, agent, `cat ${server[0]}.log`)

  /** Ends a task, and expects that nothing of it is left but these processes. */
  const terminate = async (id: string, before: readonly string[]): Promise<void> => {
    await owner.ok('DELETE', `${SESSIONS}/${id}`)
    expect(await endedTask(owner, id)).toMatchObject({ state: 'terminated', reason: 'terminated' })
    const left = async () => (await processes()).filter((line) => !before.includes(line))
    await expect.poll(left).toEqual([])
  }

  it('runs commands, says its result, and tells each step once', async () => {
    const task = await run(`${write} a file`)
    expect(task).toMatchObject({ state: 'completed', reason: 'completed', exitCode: 0, result: 'The file is there.' })
    expect(await sh(owner, agent, `cat made-${cli.runtime}`)).toBe('made\n')
    const events = await eventsOf(owner, task.id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(task.lastSeq).toBe(events.length)
    const commands = events.filter((event) => event.type === 'command')
    expect(commands.map(({ state }) => state)).toEqual(['started', 'ended', 'started', 'ended'])
    expect(commands[2]!.command).toContain(`made-${cli.runtime}`)
    const ended = commands.filter(({ state }) => state === 'ended')
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([3, cli.exitCode])
    expect(ended[1]!.output).toMatch(/^made/)
    expect(events.flatMap((event) => (event.type === 'result' ? [event.text] : []))).toEqual(['The file is there.'])
    expect(events.some(({ type }) => type === 'error')).toBe(false)
  })

  // In the short form `claude.test.ts` has such a prompt and such a conversation; the arguments of the others are in
  // `backend/src/modules/providers/headless/transcripts.test.ts` and beside it.
  longIt('takes a prompt that looks like an option, and continues in the same conversation', async () => {
    const first = await run(`--help $(id) \`id\` "' ${remember}`)
    expect(first).toMatchObject({ state: 'completed', result: 'I remember 42.' })
    const second = await run(`${write} it down`, { resume: first.id })
    expect(second).toMatchObject({ state: 'completed', result: 'The file is there.' })
    expect(second.cliSessionId).toBe(first.cliSessionId)
    // The model got the whole conversation.
    expect((await log()).trimEnd().split('\n').at(-1)).toBe(`asked ${write} ${remember}`)
  })

  // `claude.test.ts` ends a task in a command, `people/codex.test.ts` one of another CLI.
  longIt('is ended while the model answers', async () => {
    const before = await processes()
    const { id } = await start(prompted('silent'))
    await until('the model to be asked', async () => (await log()).includes(NEVER), ASKED_MS)
    await terminate(id, before)
  })

  longIt('is ended in a command, and the command with it', async () => {
    const before = await processes()
    const { id } = await start(prompted('wait'))
    const isRunning = async (): Promise<boolean> => (await processes()).some((line) => line.includes('tail -f'))
    await until('the command', isRunning, ASKED_MS)
    await terminate(id, before)
  })

  // `../protocol/booby-trapped-clone.test.ts` starts all of them in such a folder.
  longIt('starts in a clone that no user has trusted only if it ignores the settings there', async () => {
    await sh(owner, agent, 'git init -q clone')
    const task = await run(remember, { cwd: 'clone' })
    if (cli.ignoresSettings) return expect(task).toMatchObject({ state: 'completed', result: 'I remember 42.' })
    expect(task).toMatchObject({ state: 'failed', reason: 'failed_to_start', result: null })
    expect(task.error).toContain('trust the folder')
  })

  // `claude.test.ts` has a wrong key, the recorded streams have those of the others.
  longIt('says that it failed because of a wrong key', async () => {
    const task = await run(prompted('refused'))
    expect(task).toMatchObject({ state: 'failed', reason: 'not_signed_in' })
    // Copilot does not repeat the server's words.
    expect(task.error).toMatch(/this key is not valid|\(HTTP 401\)/)
  })
})
