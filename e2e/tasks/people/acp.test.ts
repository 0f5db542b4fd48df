/** Gemini, Copilot and OpenCode ask people over ACP, and get their answers. They share an agent. */
import { readFileSync } from 'node:fs'
import type { CodingSession, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, isLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { trapFiles } from '../../support/agent/traps/repository.ts'
import { processesIn } from '../../support/engine.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { answer, openDialogs } from '../../support/tasks/dialogs.ts'
import { endedTask, eventsOf, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModels, type Fault, type Runtime, SETUPS, sh, type Step } from '../../support/tasks/model.ts'

/** Longest time until three CLIs that start side by side ask on a busy machine, in milliseconds. */
const QUESTION_MS = 250_000
const patience = { timeout: 2 * QUESTION_MS }
const SESSIONS = '/coding-agents/sessions'
const HOME = '/home/developer'
const LISTENER = 9321

interface Cli {
  readonly runtime: Runtime
  readonly label: string
  /** The step with which its model runs a shell command. */
  runs(command: string): Step
  /** Whether its model goes on after a denial. */
  readonly goesOn: boolean
  /** How its account says that its usage limit is reached, for an hour. */
  readonly limit: Fault
  /** It does not say over ACP when the limit ends. */
  readonly hidesReset?: true
  /** It starts in a folder that no user has trusted, and ignores the folder's settings. */
  readonly ignoresSettings?: true
}

const bash = (command: string): Step => ({ tool: 'bash', input: { command, description: 'Do it' } })

const LIMIT_MS = 3_600_000
const SENTENCE = 'You have reached your usage limit. Try again in'
const GEMINI_LIMIT = {
  code: 429,
  status: 'RESOURCE_EXHAUSTED',
  message: 'You exceeded your current quota. Please retry in 1h0m0s.',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
    },
  ],
}

const GEMINI: Cli = {
  runtime: 'gemini-cli',
  label: 'Gemini',
  goesOn: true,
  limit: { status: 429, body: { error: GEMINI_LIMIT } },
  hidesReset: true,
  ignoresSettings: true,
  runs: (command) => ({ tool: 'run_shell_command', input: { command, description: 'Do it' } }),
}
const COPILOT: Cli = {
  ...{ runtime: 'copilot', label: 'Copilot', goesOn: false, runs: bash },
  limit: { status: 429, say: `${SENTENCE} 1 hour.`, headers: { 'retry-after': '3600' } },
}
const OPENCODE: Cli = {
  ...{ runtime: 'opencode', label: 'OpenCode', goesOn: false, runs: bash },
  limit: { status: 429, say: `${SENTENCE} 1h0m0s.` },
}
/** In the short form the one that starts fastest. `headless/acp/reading.test.ts` of the backend reads what each printed. */
const CLIS = isLongForm ? ([COPILOT, GEMINI, OPENCODE] as const) : ([COPILOT] as const)

/** How a model server refuses a request that should come again in a second. */
const BUSY = { status: 429, say: 'The server is busy.', headers: { 'retry-after': '1' } }

const own = useServerToKill()
let agent = ''

const making = ({ runtime }: Cli, name: string): string => `touch ${HOME}/${runtime}-${name}; sudo -n true; true`
/** A command with a child. */
const WAITING = 'tail -f /dev/null --pid=1 & tail -f /dev/null --pid=1'

beforeAll(async () => {
  const script = Object.fromEntries(
    CLIS.flatMap((cli) => [
      [`@${cli.runtime} run`, [{ say: 'I start.', ...cli.runs(making(cli, 'allowed')) }, { say: ['All ', 'done.'] }]],
      [`@${cli.runtime} try`, [cli.runs(making(cli, 'denied')), { say: 'I do without.' }]],
      [`@${cli.runtime} wait`, [cli.runs(WAITING), { say: 'It is over.' }]],
      [`@${cli.runtime} hello`, [{ say: 'Hello 42.' }]],
      [`@${cli.runtime} refused`, [{ status: 401, say: 'There is no such key.' }]],
      [`@${cli.runtime} limit`, [cli.limit]],
      [`@${cli.runtime} busy`, [{ fails: [BUSY, { status: 500, say: 'It broke.' }], say: 'It went on.' }]],
    ]),
  )
  const others = inLongForm([GEMINI.runtime, OPENCODE.runtime])
  agent = (await agentWithModels(own.admin, script, [COPILOT.runtime, ...others])).name
}, patience.timeout)

/** Ends what a test left. */
afterEach(async () => {
  for (const { id, completedAt } of await own.admin.ok<CodingSession[]>('GET', SESSIONS))
    if (completedAt === null) {
      await own.admin.ok('DELETE', `${SESSIONS}/${id}`)
      await endedTask(own.admin, id)
    }
}, patience.timeout)

const start = ({ runtime }: Cli, prompt: string, more: object = {}): Promise<CodingSession> =>
  startTask(own.admin, {
    ...{ agent, provider: runtime, model: SETUPS[runtime].model, prompt: `@${runtime} ${prompt}`, policy: 'ask' },
    ...more,
  })

/** Starts a task, and answers it with the question that it waits with. */
const startAsking = async (cli: Cli, prompt: string): Promise<readonly [CodingSession, Dialog]> => {
  const task = await start(cli, prompt)
  return [task, await asked(task.id)]
}

/** The same for each CLI. They start one after the other, because each of them needs a whole core for that. */
const startAllAsking = async (prompt: string): Promise<readonly [Cli, CodingSession, Dialog][]> => {
  const all: [Cli, CodingSession, Dialog][] = []
  for (const cli of CLIS) all.push([cli, ...(await startAsking(cli, prompt))])
  return all
}

/** The question that a task waits with. */
const asked = (id: string): Promise<Dialog> =>
  until(
    'the question',
    async () => {
      const [dialog] = await openDialogs(own.admin, id)
      if (dialog) return dialog
      const { completedAt, error } = await taskOf(own.admin, id)
      if (completedAt !== null) throw new Error(`the task has ended: ${error}`)
      return false
    },
    QUESTION_MS,
  )

// `claude.test.ts` and `codex.test.ts` have what is allowed, `../killed-server.test.ts` a question that waits over a killed server.
longIt('each waits over a killed server, and runs its command when a person allows it', patience, async () => {
  const all = await startAllAsking('run')
  for (const [cli, , dialog] of all)
    expect(dialog).toMatchObject({
      ...{ agent, folder: HOME, state: 'open', title: `${cli.label} wants to use Bash` },
      question: { kind: 'approval', tool: 'Bash', command: making(cli, 'allowed'), editable: false, tier: 2 },
    })
  for (const [, { id }] of all)
    await until('the task to wait', async () => (await taskOf(own.admin, id)).waitsFor === 'person')

  await own.end('SIGKILL')
  await own.start()

  for (const [, { id }, dialog] of all) expect(await openDialogs(own.admin, id)).toEqual([dialog])
  await Promise.all(all.map(([, , dialog]) => answer(own.admin, dialog, { decision: 'allow' })))
  for (const [cli, { id }] of all) {
    expect(await endedTask(own.admin, id)).toMatchObject({ state: 'completed', result: 'All done.', waitsFor: null })
    expect(await sh(own.admin, agent, 'ls')).toContain(`${cli.runtime}-allowed`)
    const events = await eventsOf(own.admin, id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const kinds = ['command', 'question', 'answer', 'result']
    expect(events.filter(({ type }) => kinds.includes(type))).toMatchObject([
      { type: 'command', state: 'started', command: making(cli, 'allowed') },
      { type: 'question' },
      { type: 'answer', by: own.admin.email },
      { type: 'command', state: 'ended' },
      { type: 'result', text: 'All done.', isError: false },
    ])
  }
})

/** Denies, or cancels the question of a task, and expects that its command does not run. */
const refuse = async (cli: Cli, how: 'deny' | 'cancel'): Promise<void> => {
  const [{ id }, dialog] = await startAsking(cli, 'try')
  if (how === 'cancel') await own.admin.ok('DELETE', `/dialogs/${dialog.id}`)
  else await answer(own.admin, dialog, { decision: 'deny', reason: 'Not today.' })
  const task = await endedTask(own.admin, id)
  if (cli.goesOn) expect(task).toMatchObject({ state: 'completed', result: 'I do without.' })
  else {
    expect(task).toMatchObject({ state: 'failed', reason: 'cli_error' })
    expect(task.error).toContain(`${cli.label} ended its turn, because this was not allowed: ${making(cli, 'denied')}`)
  }
  expect(await sh(own.admin, agent, 'ls')).not.toContain(`${cli.runtime}-denied`)
}

it('what a person denies or cancels does not run, and the task says so if its CLI gives up', patience, async () => {
  await refuse(COPILOT, 'deny')
  if (!isLongForm) return
  await refuse(GEMINI, 'deny')
  await refuse(OPENCODE, 'cancel')
})

// The test before has one CLI and a denial.
longIt('the same the other way round', patience, async () => {
  await refuse(COPILOT, 'cancel')
  await refuse(GEMINI, 'cancel')
  await refuse(OPENCODE, 'deny')
})

// `codex.test.ts`, “while it asks withdraws its question, and leaves no process”.
longIt('a task that is ended withdraws its question and leaves no process', patience, async () => {
  const container = `${own.namespace}-agent-${agent}`
  const before = await processesIn(container)
  const all = await startAllAsking('wait')
  // OpenCode leaves a process group of its command when its turn is cancelled.
  for (const [cli, , dialog] of all) if (cli === OPENCODE) await answer(own.admin, dialog, { decision: 'allow' })
  const running = async (): Promise<number> =>
    (await processesIn(container)).filter((line) => line.includes('tail -f')).length
  await until('the command and its child', async () => (await running()) >= 2, QUESTION_MS)
  await Promise.all(all.map(([, { id }]) => own.admin.ok('DELETE', `${SESSIONS}/${id}`)))
  for (const [, { id }] of all) expect(await endedTask(own.admin, id)).toMatchObject({ state: 'terminated' })
  const left = async () => (await processesIn(container)).filter((line) => !before.includes(line))
  await expect.poll(left).toEqual([])
  for (const [, , { id }] of all)
    expect(await refusalOf(own.admin, 'POST', `/dialogs/${id}/answer`, { decision: 'allow' })).toEqual([
      ...[409, 'DIALOG_CLOSED'],
    ])
})

// `../conversations/claude.test.ts` goes on with Claude Code; the recorded streams of `reading.test.ts` have loaded sessions.
describe.each(inLongForm(CLIS))('a conversation of $label', (cli) => {
  it('goes on over ACP and back, in the mode that asks', patience, async () => {
    const withoutPeople = { policy: undefined }
    const first = await endedTask(own.admin, (await start(cli, 'hello', withoutPeople)).id)
    expect(first).toMatchObject({ state: 'completed', result: 'Hello 42.' })
    const { id } = await start(cli, 'run', { resume: first.id })
    const dialog = await asked(id)
    await answer(own.admin, dialog, { decision: 'allow' })
    const second = await endedTask(own.admin, id)
    expect(second).toMatchObject({ state: 'completed', result: 'All done.', cliSessionId: first.cliSessionId })
    // The history is no work of this task.
    const texts = (await eventsOf(own.admin, id)).flatMap((event) => (event.type === 'text' ? [event.text] : []))
    expect(texts.join('')).toBe('I start.All done.')
    const third = await endedTask(own.admin, (await start(cli, 'hello', { ...withoutPeople, resume: id })).id)
    expect(third).toMatchObject({ state: 'completed', result: 'Hello 42.', cliSessionId: first.cliSessionId })
  })
})

// `../../protocol/booby-trapped-clone.test.ts` starts each CLI without people in such a folder.
longIt('in a folder that no user has trusted, nothing that it brought runs', patience, async () => {
  const trap = (name: string): Buffer => readFileSync(new URL(`../../support/agent/traps/${name}`, import.meta.url))
  await own.admin.upload(agent, 'listener.mjs', trap('listener.mjs'))
  await own.admin.upload(agent, 'files.json', JSON.stringify(trapFiles({ port: LISTENER })))
  const write = `const fs = require('fs'), { dirname } = require('path')
    for (const [path, text] of Object.entries(JSON.parse(fs.readFileSync('files.json', 'utf8')))) {
      fs.mkdirSync(dirname('clone/' + path), { recursive: true }); fs.writeFileSync('clone/' + path, text)
    }`
  await sh(own.admin, agent, `git init -q clone && node -e "${write.replaceAll('"', '\\"')}"`)
  const heard = (): Promise<string> => sh(own.admin, agent, `curl -s http://127.0.0.1:${LISTENER}/heard`)
  const control = `curl -s http://127.0.0.1:${LISTENER}/trap/control`
  await sh(own.admin, agent, `setsid node listener.mjs ${LISTENER} >listener.log 2>&1 & until ${control}; do :; done`)
  expect(await heard()).toBe('control')

  for (const cli of CLIS) {
    const task = await endedTask(own.admin, (await start(cli, 'hello', { cwd: 'clone' })).id)
    expect(await heard()).toBe('control')
    if (cli.ignoresSettings) {
      expect(task).toMatchObject({ state: 'completed', result: 'Hello 42.' })
      continue
    }
    expect(task).toMatchObject({ state: 'failed', reason: 'failed_to_start', result: null })
    expect(task.error).toContain('trust the folder')
  }
})

/** Copilot says in a turn that ends well that it was refused. In the short form the tests of its output have that. */
describe.each(inLongForm(CLIS))('$label whose model server fails', (cli) => {
  it('ends in failure if the key is refused', patience, async () => {
    const ended = await endedTask(own.admin, (await start(cli, 'refused')).id)
    expect(ended).toMatchObject({ state: 'failed', result: null })
    expect(ended.error).toMatch(/auth|key/i)
  })

  it('goes on after it was busy, and after it broke', patience, async () => {
    expect(await endedTask(own.admin, (await start(cli, 'busy')).id)).toMatchObject({
      ...{ state: 'completed', result: 'It went on.', error: null },
    })
  })

  it('waits for the end of a usage limit, or fails if it is told no time', patience, async () => {
    const { id } = await start(cli, 'limit')
    const task = await until(
      'the task to wait or to end',
      async () => {
        const now = await taskOf(own.admin, id)
        return (now.waitsFor === 'usage_limit' || now.completedAt !== null) && now
      },
      QUESTION_MS,
    )
    if (cli.hidesReset) return expect(task).toMatchObject({ state: 'failed', reason: 'usage_limit' })
    expect(task).toMatchObject({ state: 'waiting', reason: null, error: null })
    const afterMs = Date.parse(task.continuesAt ?? '') - Date.parse(task.createdAt)
    expect(afterMs).toBeGreaterThanOrEqual(LIMIT_MS)
    // Its events are complete only once it has ended.
    await own.admin.ok('DELETE', `${SESSIONS}/${id}`)
    await endedTask(own.admin, id)
    return expect(await eventsOf(own.admin, id)).toContainEqual(expect.objectContaining({ type: 'limit' }))
  })
})
