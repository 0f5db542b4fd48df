/** The conversations: the empty page, the form of a new one, and one in each of its states. */
import type { CodingSession, Conversation, ConversationMessage, ConversationTurn, RunEvent } from '@slipway/protocol'
import type { Page } from 'playwright'
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const BASE = '/api/conversations'
const RUNS = '/api/coding-agents/sessions'
const CWD = '/home/developer/app'
const ID = 'conversation'
const NOW = 'turn-3'

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()
const ANSWER = `The parser has the **new grammar**:

- \`src/parser.ts\` has its rules
- the tests in \`test/parser.test.ts\` pass

\`\`\`ts
export const parse = (text: string) => grammar.match(text)
\`\`\``

const EVENTS: readonly RunEvent[] = [
  { type: 'status', status: 'started', message: 'Claude has started with claude-opus-5-5.' } as const,
  { type: 'text', text: 'I look at the tests first.' } as const,
  { type: 'tool_call', callId: 'r', name: 'Read', input: { file_path: `${CWD}/test/parser.test.ts` } } as const,
  { type: 'tool_result', callId: 'r', text: 'it("parses")', isError: false } as const,
  { type: 'command', callId: 'c', command: 'npm test', state: 'ended', exitCode: 1, output: '1 failed' } as const,
  { type: 'text', text: 'One fails. I mend it in `src/parser.ts`.' } as const,
  { type: 'tool_call', callId: 'e', name: 'Edit', input: { file_path: `${CWD}/src/parser.ts` } } as const,
].map((happening, index) => ({ seq: index + 1, at: ago(60 - index), ...happening }))

const conversationOf = (userId: string, agent: string): Conversation => ({
  ...{
    id: ID,
    title: 'Move the parser to the new grammar',
    agent,
    provider: 'claude-code',
    displayName: 'Claude Code',
  },
  ...{
    cwd: CWD,
    model: 'opus',
    policy: null,
    worktree: null,
    validate: false,
    gate: null,
    state: 'active',
    activity: 'idle',
    waitsFor: null,
    currentRunId: null,
    currentRunUserId: null,
  },
  ...{
    lastRunId: NOW,
    resumeRunId: NOW,
    queued: 0,
    turns: 3,
    costUsd: 0.4217,
    costEstimated: true,
    userId,
    cliSessionId: 'session',
  },
  ...{ error: null, forkedFrom: null, archivedAt: null, canFork: true, canSteer: false },
  ...{ createdAt: ago(7_000), lastActivityAt: ago(70) },
})
const runOf = (userId: string, agent: string, id: string): CodingSession => ({
  ...{ id, agent, provider: 'claude-code', displayName: 'Claude Code', state: 'completed', mode: 'auto', prompt: '' },
  ...{ cwd: CWD, model: 'opus', policy: null, waitsFor: null, userId, createdAt: ago(70), startedAt: ago(64) },
  ...{ continuesAt: null, completedAt: ago(4), reason: 'completed', error: null, exitCode: 0, result: ANSWER },
  ...{ costUsd: 0.14, costEstimated: false, scheduleId: null, conversationId: null, archivedAt: null },
  ...{ cliSessionId: 'session', inPieces: [], lastSeq: 7 },
  ...{ changesDetected: true, filesChanged: 2, insertions: 40, deletions: 11, validation: null, gate: null },
})
const ACTIVE = { completedAt: null, reason: null, exitCode: null, result: null, costUsd: null, filesChanged: null }
const messageOf = (
  userId: string,
  seq: number,
  text: string,
  state: ConversationMessage['state'] = 'sent',
): ConversationMessage => ({
  ...{ id: `message-${seq}`, seq, text, state, runId: state === 'sent' ? `turn-${seq}` : null },
  ...{ error: null, answer: null, userId, via: 'web', createdAt: ago(600 - seq * 60) },
})

/** What the server tells of the conversation. */
interface Told {
  conversation: Conversation
  turns: readonly ConversationTurn[]
  queue: readonly ConversationMessage[]
}

const tell = async (page: Page, told: Told): Promise<void> => {
  await intercept(page, `*${BASE}*`, async (request) => {
    const { pathname, searchParams } = request.url
    const { conversation, turns, queue } = told
    const others = [
      { ...conversation, id: 'asks', title: 'Why is the build slow on CI?', activity: 'waiting', waitsFor: 'person' },
      { ...conversation, id: 'errored', title: 'Rename the module of credentials, step by step', state: 'errored' },
      { ...conversation, id: 'terminal', title: 'Explore the queue', activity: 'terminal' },
    ]
    const archived = { ...conversation, id: 'archived', state: 'archived', archivedAt: ago(9_000) }
    if (searchParams.get('state') === 'archived')
      return request.fulfill({ json: { items: [archived], nextCursor: 'further' } })
    if (pathname === BASE) return request.fulfill({ json: { items: [conversation, ...others], nextCursor: null } })
    if (pathname.endsWith('/messages')) return request.fulfill({ json: { items: turns, before: 1 } })
    await request.fulfill({ json: pathname.endsWith('/queue') ? queue : conversation })
  })
  await intercept(page, `*${RUNS}/turn-*`, async (request) => {
    const { pathname, searchParams } = request.url
    const run = told.turns.find(({ message }) => pathname.includes(`/${message.runId}`))?.run
    if (!pathname.endsWith('/events')) return request.fulfill({ json: run })
    const after = Number(searchParams.get('after'))
    // An active turn tells no more.
    if (run?.completedAt === null && after >= EVENTS.length) return
    const lines = EVENTS.slice(after).map((event) => `${JSON.stringify(event)}\n`)
    await request.fulfill({ body: lines.join('') })
  })
}

export const conversations = async (visitor: Visitor, { owner, newcomer, running }: FurnishedServer): Promise<void> => {
  const first = await visitor.open(newcomer, '/conversations')
  await first.getByTestId('no-conversations').waitFor()
  await visitor.see(first, 'conversations-empty')

  const page = await visitor.open(owner, '/account')
  const { userId } = owner
  const conversation = conversationOf(userId, running.name)
  const runFor = (id: string): CodingSession => runOf(userId, running.name, id)
  const earlier = [
    { message: messageOf(userId, 1, 'Move the parser to the new grammar.'), run: runFor('turn-1') },
    { message: messageOf(userId, 2, 'Now the tests, too.'), run: runFor('turn-2') },
  ]
  const last = messageOf(userId, 3, 'It must accept a trailing comma in a call, but not in a tuple.')
  const told: Told = {
    conversation: {
      ...{ ...conversation, activity: 'running', queued: 2, canSteer: true },
      ...{ currentRunId: NOW, currentRunUserId: userId },
    },
    turns: [...earlier, { message: last, run: { ...runFor(NOW), ...ACTIVE, state: 'running' } }],
    queue: ['Then update the change log', 'And open a pull request'].map((text, at) =>
      messageOf(userId, 4 + at, text, 'queued'),
    ),
  }
  await tell(page, told)
  await goTo(page, '/conversations')
  await page.getByTestId('conversations-list').getByText('Explore the queue').waitFor()
  await visitor.see(page, 'conversations')
  await visitor.choose(page, 'new-conversation')
  await page.getByTestId('conversation-form').waitFor()
  await visitor.pass(page, 'new-conversation')
  await page.keyboard.press('Escape')
  await page.getByTestId('conversation-form').waitFor({ state: 'detached' })

  await goTo(page, '/conversations?archived=true&by=all')
  await page.getByTestId('conversations-more').waitFor()
  await visitor.pass(page, 'conversations-archive')

  await goTo(page, `/conversations/${ID}`)
  await page.getByText('One fails.').waitFor()
  await page.getByTestId('turn-steps').getByRole('button').first().click()
  await visitor.see(page, 'conversation-running')
  await page.getByTestId('queued-edit').first().click()
  await page.getByTestId('queued-text').waitFor()
  await visitor.pass(page, 'conversation-queue')

  const failed = 'The model server answered 400: this model is broken.'
  told.conversation = { ...conversation, state: 'errored', error: `${failed} One message that waited was not sent.` }
  told.turns = [
    ...earlier,
    { message: last, run: { ...runFor(NOW), state: 'failed', reason: 'cli_error', error: failed, result: null } },
    { message: messageOf(userId, 4, 'Then update the change log', 'released'), run: null },
  ]
  told.queue = []
  await goTo(page, `/conversations/${ID}`)
  await page.getByTestId('message-reuse').waitFor()
  await visitor.see(page, 'conversation-failed')

  told.conversation = { ...conversation, activity: 'terminal' }
  told.turns = [...earlier, { message: last, run: runFor(NOW) }]
  await goTo(page, `/conversations/${ID}`)
  await page.getByTestId('notice-terminal').waitFor()
  await visitor.see(page, 'conversation-in-terminal')
  await visitor.choose(page, 'conversation-actions')
  await page.getByRole('menu').waitFor()
  await visitor.see(page, 'conversation-actions')

  told.conversation = { ...conversation, state: 'archived', archivedAt: ago(3) }
  await goTo(page, `/conversations/${ID}`)
  await page.getByTestId('notice-unarchive').waitFor()
  await visitor.see(page, 'conversation-archived')

  const gone = await visitor.open(owner, '/conversations/no-such-conversation')
  await gone.getByTestId('not-found').waitFor()
  await visitor.see(gone, 'conversation-not-found')
}
