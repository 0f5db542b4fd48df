/**
 * One piece of work with a real CLI, from a command in Discord to an archived conversation: a question, an approval on a phone, a
 * validation that fails, a repair, a pull request, a second turn that updates it. The server is killed three times on the way.
 */
// In the short form `arrival/newcomer.test.ts` goes from a task to a pull request,
// `backend/src/modules/channels/discord.test.ts` has the bot, and `e2e/tasks/killed-server.test.ts` a validation
// whose server is killed.
import '@slipway/testing/long'
import type {
  CommittedChanges,
  Conversation,
  Publication,
  PullRequest,
  PullText,
  RunEvent,
  Worktree,
} from '@slipway/protocol'
import { until } from '@slipway/testing'
import { BOT_TOKEN, type Message, startDiscord, type User } from '@slipway/testing/discord'
import { longIt } from '@slipway/testing/forms'
import { afterAll, expect, it } from 'vitest'
import { type Client, newUser } from '../../support/api.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { closePages, useBrowser, visit } from '../../support/pages.ts'
import { asked } from '../../support/tasks/dialogs.ts'
import { ASKED_MS, endedTask, eventsOf, taskOf } from '../../support/tasks/follow.ts'
import { leaveHost, reachHost, reachRemote, signIn, useGitHub } from '../../support/tasks/github.ts'
import { agentWithModel, type Runtime, type Script, sh, type Step } from '../../support/tasks/model.ts'
import { SCREENS } from '../../walk/visitor.ts'

const discord = await startDiscord()
const own = useOwnServer({ SLIPWAY_DISCORD_TOKEN: BOT_TOKEN, SLIPWAY_DISCORD_API: discord.api })
useBrowser()
afterAll(() => discord.close())

/** The model waits with the repair until this file exists. */
const MAY_REPAIR = '/tmp/may-repair'
/** It waits with the second turn until this one exists. */
const MAY_LOOK = '/tmp/may-look'
/** People are asked about it. */
const GRAVE = 'touch /tmp/seen && chmod 777 /tmp/seen'
const OPTIONS = [
  { label: 'Add', description: 'a + b' },
  { label: 'Subtract', description: 'a - b' },
]
const QUESTION = { question: 'What shall it do?', header: 'Sum' }
const sum = (sign: string): string => `echo 'export const sum = (a, b) => a ${sign} b' >sum.mjs`

/** What the model of a CLI does: it asks, does something grave, does its work wrong, repairs it, and later says what it does. */
const scriptOf = (question: Step, run: (command: string) => Step): Script => ({
  '@begin': [question, run(GRAVE), run(sum('-')), { say: 'Done.' }],
  'repair 1 of 1': [{ ...run(sum('+')), gate: MAY_REPAIR }, { say: 'Repaired.' }],
  '@look': [{ say: 'It adds.', gate: MAY_LOOK }],
})
const SCRIPTS = {
  'claude-code': scriptOf(
    { tool: 'AskUserQuestion', input: { questions: [{ ...QUESTION, multiSelect: false, options: OPTIONS }] } },
    (command) => ({ tool: 'Bash', input: { command, description: 'Do it' } }),
  ),
  codex: scriptOf(
    { tool: 'request_user_input', input: { questions: [{ ...QUESTION, id: 'sum', options: OPTIONS }] } },
    (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  ),
} satisfies Partial<Record<Runtime, Script>>

const MANIFEST = '{"scripts":{"test":"node --test"}}'
/** It says that it runs, and waits for a file, so that the server can be killed meanwhile. */
const TEST = `import { test } from "node:test"
import { equal } from "node:assert"
import { existsSync, watch, writeFileSync } from "node:fs"
import { sum } from "./sum.mjs"
writeFileSync("/home/developer/signs/begun", "")
await new Promise((resolve) => {
  const look = () => existsSync("/home/developer/signs/go") && resolve(watcher.close())
  const watcher = watch("/home/developer/signs", look)
  look()
})
test("adds", () => equal(sum(2, 3), 5))
`
const PROJECT = `mkdir signs && cd repo && echo '${MANIFEST}' >package.json && echo '{}' >package-lock.json
  echo 'export const sum = (a, b) => b + a' >sum.mjs && echo '${TEST}' >sum.test.mjs
  git add -A && git commit -qm project && git push -q ../remote.git HEAD:main && git fetch -q ../remote.git main:refs/remotes/origin/main`
/** Codex asks such questions only with this feature. */
const CODEX_FEATURES = '\n[features]\ndefault_mode_request_user_input = true\n'

/** An agent with the project, and its owner, who is linked to an account that may talk with it in a channel. */
const setUp = async (runtime: keyof typeof SCRIPTS) => {
  const owner = await newUser(own.admin)
  const { name: agent } = await agentWithModel(owner, SCRIPTS[runtime], runtime)
  if (runtime === 'codex') {
    await owner.upload(agent, 'features', CODEX_FEATURES)
    await sh(owner, agent, 'cat features >>.codex/config.toml')
  }
  await useGitHub(owner, agent)
  await reachRemote(owner, agent)
  await signIn(owner, agent, 'ghp_of-the-tests-0123456789abcdef')
  await sh(owner, agent, PROJECT)
  const account: User = { id: discord.channels.newId(), username: 'noor' }
  const channel = discord.channels.add()
  await owner.ok('PUT', `/agents/${agent}/discord`, { channels: [channel] })
  const { code } = await owner.ok<{ code: string }>('POST', '/users/me/discord/code')
  expect((await discord.command(channel, account, 'link', { code })).texts.join()).toContain('is linked')
  return { owner: () => owner.at(own.admin.baseUrl), agent, account, channel }
}

/** Kills the server. The next one answers when this resolves, and its bot is connected. */
const killServer = async (): Promise<void> => {
  await own.end('SIGKILL')
  const connections = (): number => discord.gateway.begun + discord.gateway.resumed
  const before = connections()
  await own.start()
  await until('the bot', () => connections() > before)
}

/** The verdicts of a gate, and the repairs that follow. */
const verdictsIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'validation' && event.state !== 'running' ? [event.state] : []))

/** Opens or updates the pull request. Answers it, with its text. */
const publish = async (
  client: Client,
  agent: string,
  runId: string,
): Promise<PullRequest & CommittedChanges & { body: string }> => {
  const path = `/coding-agents/sessions/${runId}/publication`
  const { suggested, branch, base } = await client.ok<Publication>('GET', path)
  const work = { branch: branch === null || branch === base ? suggested.branch : branch, message: suggested.message }
  const made = await client.ok<CommittedChanges>('POST', `${path}/commit`, work)
  await client.ok('POST', `${path}/push`, made)
  expect((await sh(client, agent, `git --git-dir=remote.git show ${made.branch}:sum.mjs`)).trim()).toContain('a + b')
  await reachHost(client, agent)
  const { title, body, number } = await client.ok<PullText>('GET', `${path}/pull-request`)
  expect(body).toContain('npm run test')
  const pull = await client.ok<PullRequest>('POST', `${path}/pull-request`, { branch: made.branch, base, title, body })
  expect(number ?? pull.number).toBe(pull.number)
  await leaveHost(client, agent)
  return { ...pull, ...made, body }
}

const story = async (runtime: keyof typeof SCRIPTS): Promise<void> => {
  const { owner, agent, account, channel } = await setUp(runtime)
  const begun = await discord.command(channel, account, 'code', {
    ...{ prompt: '@begin it', folder: 'repo', policy: 'tiers', worktree: 'always', repairs: 1 },
  })
  const thread = /<#(\d+)>/.exec(begun.texts.join('\n'))?.[1] ?? ''
  const posts = (): Message[] => discord.channels.in(thread).filter(({ author }) => author.bot === true)
  const conversation = async (): Promise<Conversation> => {
    const { items } = await owner().ok<{ items: Conversation[] }>('GET', '/conversations')
    const [one] = items
    if (!one || items.length > 1) throw new Error(`there are ${items.length} conversations`)
    return one
  }
  const { id, currentRunId: runId } = await until('the turn', async () => {
    const now = await conversation()
    return now.currentRunId !== null && { ...now, currentRunId: now.currentRunId }
  })

  // It asks in Discord, and is answered there by the next server.
  const question = await until('the question', () => posts().find(({ content }) => content.includes('❓')), ASKED_MS)
  await killServer()
  await discord.press(question, account, 'Add')
  await until('the answer', () => question.content.includes('Add'))

  // It asks for an approval, which is given on a phone.
  const { id: approval } = await until(
    'the approval',
    async () => {
      const dialog = await asked(owner(), runId)
      return dialog.question.kind === 'approval' && dialog
    },
    ASKED_MS,
  )
  const phone = await visit(owner(), `/questions/${approval}`, {
    ...SCREENS.narrow,
    ...{ baseURL: own.admin.baseUrl, preloads: false },
  })
  await phone.getByTestId('dialog-command').getByText('chmod 777').first().waitFor()
  await phone.getByTestId('dialog-allow').click()
  await phone.getByText('You allowed it once').waitFor()
  await closePages()

  // Its work fails its validation, which the server does not outlive, and is repaired.
  const runs = (): Promise<boolean> => sh(owner(), agent, 'ls signs').then((files) => files.includes('begun'))
  await until('the validation', runs, ASKED_MS)
  await sh(owner(), agent, 'rm signs/begun')
  await killServer()
  await until('the validation of the next server', runs, ASKED_MS)
  await sh(owner(), agent, 'touch signs/go')
  await until('the repair', async () => (await taskOf(owner(), runId)).gate?.begun === 1, ASKED_MS)
  await sh(owner(), agent, `rm signs/*; touch ${MAY_REPAIR}`)
  await until('the validation of the repair', runs, ASKED_MS)
  await killServer()
  await sh(owner(), agent, 'touch signs/go')
  const ended = await endedTask(owner(), runId)
  expect(ended).toMatchObject({
    ...{ state: 'completed', validation: 'passed', gate: { repairs: 1, begun: 1 }, result: 'Repaired.' },
  })
  expect(verdictsIn(await eventsOf(owner(), runId))).toEqual(['failed', 'passed'])
  const [tree] = await owner().ok<Worktree[]>('GET', `/agents/${agent}/worktrees`)
  expect(ended.cwd).toBe(tree?.path)
  await until('the verdict in Discord', () =>
    posts().some(({ content }) => content.includes('validation passed after 1 repair')),
  )
  expect(posts().filter(({ content }) => content === 'Repaired.')).toHaveLength(1)

  // It becomes a pull request, which the turn of the next message in the thread updates.
  expect(await publish(owner(), agent, runId)).toMatchObject({ number: 1, draft: true })
  await sh(owner(), agent, `echo Adds. >${ended.cwd}/README.md`)
  discord.say(thread, account, '@look at my README.md')
  const nextId = await until(
    'the next turn',
    async () => {
      const { currentRunId } = await conversation()
      return currentRunId !== null && currentRunId !== runId && currentRunId
    },
    ASKED_MS,
  )
  await sh(owner(), agent, `touch ${MAY_LOOK}`)
  expect(await endedTask(owner(), nextId)).toMatchObject({
    ...{ state: 'completed', validation: 'passed', result: 'It adds.', cwd: ended.cwd },
  })
  const updated = await publish(owner(), agent, nextId)
  expect(updated.number).toBe(1)
  expect(updated.body).toMatch(/Repaired\.[^]*It adds\./)
  expect(await sh(owner(), agent, `git --git-dir=remote.git show ${updated.branch}:README.md`)).toBe('Adds.\n')

  // The conversation is over.
  await owner().ok('PATCH', `/conversations/${id}`, { archived: true })
  const late = discord.say(thread, account, 'And more?')
  await until('the refusal', () => late.reactions.join() === '❌')
  expect(await conversation().catch((error: unknown) => (error as Error).message)).toBe('there are 0 conversations')
}

it('a command in Discord becomes a pull request of the real Claude Code, though the server is killed three times', () =>
  story('claude-code'))

longIt('a command in Discord becomes a pull request of the real Codex, though the server is killed three times', () =>
  story('codex'),
)
