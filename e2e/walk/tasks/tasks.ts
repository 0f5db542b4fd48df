/** The tasks: the list in each state, and a task with its steps, its changes and its output. */
import type {
  CodingResult,
  CodingSession,
  CodingSessionDiff,
  PlatformEvent,
  Publication,
  RunEvent,
  RunHappening,
} from '@slipway/protocol'
import type { Page } from 'playwright'
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import type { FurnishedServer } from '../place.ts'
import { publicationAt, PUBLICATIONS, pullRequest } from './publication.ts'
import type { Visitor } from '../visitor.ts'

const BASE = '/api/coding-agents'
const HOME = '/home/developer'
const ENDED = 'ended'

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()
const ANSWER = `The parser **dropped the last token** of a file without a final newline:

1. \`readLine\` keeps the rest of the buffer
2. a test covers it

\`\`\`ts
const readLine = (text: string) => text.indexOf('\\n') // or the rest
\`\`\`

| file | change |
| --- | --- |
| \`src/parser.ts\` | fixed |

> The old behaviour is in https://example.org/issues/12.`

const STEPS: readonly RunHappening[] = [
  { type: 'status', status: 'started', message: 'Claude has started with claude-opus-5-5.' },
  { type: 'thinking', text: 'The tokens come from readLine.\nIt returns null at the end.' },
  { type: 'text', text: 'I will look at the parser first.' },
  {
    type: 'plan',
    items: [
      { text: 'Read the parser', state: 'completed' },
      { text: 'Fix the last line', state: 'in_progress' },
      { text: 'Run the tests', state: 'pending' },
    ],
  },
  { type: 'tool_call', callId: 'r', name: 'Read', input: { file_path: `${HOME}/app/src/parser.ts` } },
  { type: 'tool_result', callId: 'r', text: 'export const readLine = () => null', isError: false },
  {
    ...{ type: 'tool_call', callId: 'e', name: 'Edit' },
    input: { file_path: `${HOME}/app/src/parser.ts`, old_string: 'return null', new_string: 'return rest' },
  },
  { type: 'file_change', callId: 'e', path: `${HOME}/app/src/parser.ts`, change: 'modified' },
  { type: 'command', callId: 'c', command: 'npm test', state: 'started', exitCode: null, output: '' },
  { type: 'command', callId: 'c', command: 'npm test', state: 'ended', exitCode: 1, output: 'x'.repeat(10_000) },
  { type: 'status', status: 'retrying', message: 'The model server answered overloaded_error (529). Attempt 1 of 4.' },
]
const RUNNING: RunHappening = {
  ...{ type: 'command', callId: 'd', command: 'npm test -- parser', state: 'started', exitCode: null, output: '' },
}
const END: readonly RunHappening[] = [
  { type: 'text', text: ANSWER },
  {
    type: 'usage',
    models: [
      ...[{ model: 'm', inputTokens: 48_210, outputTokens: 3_912, cacheReadTokens: 190_400, cacheWriteTokens: 0 }],
    ].map((model) => ({ ...model, costUsd: 0.4217 })),
  },
  { type: 'result', text: ANSWER, isError: false },
]
const numbered = (happenings: readonly RunHappening[]): RunEvent[] =>
  happenings.map((happening, index) => ({ seq: index + 1, at: ago(60 - index * 4), ...happening }))

const NO_CHANGES = { changesDetected: null, filesChanged: null, insertions: null, deletions: null }
const DIFF: CodingSessionDiff = {
  ...{ sessionId: ENDED, live: false, changesDetected: true, filesChanged: 3, insertions: 2, deletions: 1 },
  truncated: true,
  files: [
    {
      ...{ path: 'src/parser.ts', oldPath: null, status: 'modified', insertions: 2, deletions: 1, binary: false },
      ...{ size: 812, tooLarge: false },
      patch: '--- a/src/parser.ts\n+++ b/src/parser.ts\n@@ -11,3 +11,4 @@ const readLine\n same\n-null\n+rest\n+more\n',
    },
    {
      ...{ path: 'docs/tide.png', oldPath: null, status: 'added', insertions: null, deletions: null, binary: true },
      ...{ size: 48_211, tooLarge: false, patch: null },
    },
    {
      ...{ path: 'package-lock.json', oldPath: null, status: 'modified', insertions: 9_120, deletions: 8_774 },
      ...{ binary: false, size: 1_340_223, tooLarge: true, patch: null },
    },
  ],
}

/** What the server tells of one task. */
interface Told {
  session: CodingSession
  publication?: Publication
  happenings: readonly RunHappening[]
}

/** Gives the page tasks as a server has them that was used for a day. */
const tell = async (page: Page, userId: string, agent: string, told: Told): Promise<void> => {
  const results = [
    ['Tidy up the imports of the parser', 'completed', 0.024],
    ['Update the dependencies, and fix what breaks. Do not touch the lock file of the docs.', 'cli_error', null],
    ['Explain src/lexer.ts', 'terminated', 0.0031],
  ].map(([prompt, reason, costUsd], index) => ({
    ...{ ...sessionOf(userId, agent), id: `result-${index}`, sessionId: `result-${index}`, prompt, reason, costUsd },
    ...{ success: reason === 'completed', output: '', durationMs: 94_000 * (index + 1), createdAt: ago(4_000 * index) },
  })) as CodingResult[]
  await intercept(page, `*${BASE}/*`, async (request) => {
    const { pathname, searchParams } = request.url
    const { session, happenings } = told
    const isActive = session.completedAt === null
    if (pathname === `${BASE}/results`)
      return request.fulfill({ json: { items: results, page: 1, limit: 20, total: 43 } })
    if (pathname === `${BASE}/sessions`) return request.fulfill({ json: isActive ? [session] : [] })
    const published = publicationAt(request.method, pathname, told.publication ?? PUBLICATIONS.begun)
    if (published !== null) return request.fulfill(published)
    if (pathname.endsWith('/diff')) return request.fulfill({ json: { ...DIFF, live: isActive } })
    if (pathname.endsWith('/output'))
      return request.fulfill({
        json: { sessionId: session.id, state: session.state, output: '{"type":"system"}\n', hasOutput: true },
      })
    if (!pathname.endsWith('/events')) return request.fulfill({ json: session })
    const after = Number(searchParams.get('after'))
    // An active task tells no more.
    if (isActive && after >= happenings.length) return
    const lines = numbered(happenings).slice(after)
    await request.fulfill({ body: lines.map((event) => `${JSON.stringify(event)}\n`).join('') })
  })
}

/** Gives the page a terminal of the task, which has printed this. */
const printTo = (page: Page, output: string): Promise<void> =>
  page.routeWebSocket(/\/events$/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      const { type } = JSON.parse(String(message)) as { type: string }
      if (!type.startsWith('coding-agent:')) return server.send(message)
      const answer: PlatformEvent = { type: 'coding-agent:session:output', sessionId: ENDED, data: output }
      if (type === 'coding-agent:subscribe') socket.send(JSON.stringify(answer))
    })
  })
const SCREEN = ['\x1b[1mClaude Code\x1b[0m v2.1', '\x1b[2m/home/developer/app\x1b[0m', '', '❯ Which parser?'].join(
  '\r\n',
)

const sessionOf = (userId: string, agent: string): CodingSession => ({
  ...{ id: ENDED, agent, provider: 'claude-code', displayName: 'Claude Code', state: 'completed', mode: 'auto' },
  prompt: `The parser drops the last token of a file without a final newline.\n\n${'Fix it, and add a test.\n'.repeat(9)}`,
  ...{ cwd: `${HOME}/app`, model: 'opus', userId, createdAt: ago(70), startedAt: ago(64), continuesAt: null },
  ...{ completedAt: ago(4), reason: 'completed', error: null, exitCode: 0, result: ANSWER, costUsd: 0.4217 },
  ...{
    costEstimated: true,
    scheduleId: null,
    conversationId: null,
    policy: null,
    waitsFor: null,
    validation: null,
    gate: null,
    archivedAt: null,
    cliSessionId: 'session',
    inPieces: [],
    lastSeq: STEPS.length + END.length,
  },
  ...{ changesDetected: true, filesChanged: 3, insertions: 2, deletions: 1 },
})
const ACTIVE = { completedAt: null, reason: null, exitCode: null, result: null, costUsd: null, ...NO_CHANGES }

const terminalShown = async (page: Page): Promise<void> => {
  const screen = new Screen(page)
  await screen.is('connected')
  await screen.shows('Which parser?')
}

export const tasks = async (visitor: Visitor, { owner, newcomer, running }: FurnishedServer): Promise<void> => {
  const first = await visitor.open(newcomer, '/coding-agents')
  await first.getByTestId('no-tasks').waitFor()
  await visitor.see(first, 'tasks-empty')

  const page = await visitor.open(owner, '/coding-agents')
  const session = sessionOf(owner.userId, running.name)
  const told: Told = {
    session: { ...session, ...ACTIVE, state: 'running', lastSeq: STEPS.length + 1 },
    happenings: [...STEPS, RUNNING],
  }
  await tell(page, owner.userId, running.name, told)
  await goTo(page, '/coding-agents')
  await page.getByTestId('tasks-history').getByRole('listitem').first().waitFor()
  await visitor.choose(page, 'tasks-filters-toggle')
  await page.getByTestId('tasks-filters').waitFor()
  await visitor.see(page, 'tasks')

  await goTo(page, `/coding-agents/${ENDED}`)
  await page.getByTestId('run-activity').getByText('npm test -- parser').waitFor()
  await visitor.see(page, 'task-running')
  const log = page.getByTestId('run-events')
  await log.getByRole('button', { name: /^Thought/ }).click()
  await log.getByRole('button', { name: /^Ran npm test/ }).click()
  await log.getByTestId('step-load').waitFor()
  await visitor.see(page, 'task-step')
  await visitor.choose(page, 'run-stop')
  await page.getByTestId('confirm-action').waitFor()
  await visitor.pass(page, 'task-stop')
  await page.keyboard.press('Escape')
  await page.getByTestId('confirm-action').waitFor({ state: 'detached' })

  told.session = { ...session, ...ACTIVE, state: 'waiting', continuesAt: ago(-3_000), lastSeq: STEPS.length }
  told.happenings = [
    ...STEPS.slice(0, 6),
    { type: 'limit', message: 'You have hit your usage limit.', resetsAt: ago(-3_000) },
  ]
  await goTo(page, `/coding-agents/${ENDED}`)
  await page.locator('[data-testid="run-state"][data-state="waiting"]').waitFor()
  await visitor.see(page, 'task-waiting')
  if (visitor.isThorough) {
    told.session = { ...session, ...ACTIVE, state: 'queued', startedAt: null, lastSeq: 0 }
    told.happenings = []
    await goTo(page, `/coding-agents/${ENDED}`)
    await page.locator('[data-testid="run-state"][data-state="queued"]').waitFor()
    await visitor.see(page, 'task-queued')
  }

  told.session = session
  told.happenings = [...STEPS, ...END]
  await goTo(page, `/coding-agents/${ENDED}`)
  await log.getByText('dropped the last token').waitFor()
  await log.locator('.tok').first().waitFor()
  await visitor.see(page, 'task-ended')
  await visitor.choose(page, 'run-actions')
  await page.getByRole('menu').waitFor()
  await visitor.see(page, 'task-actions')
  await page.getByRole('menuitem', { name: 'Continue', exact: true }).click()
  await page.getByTestId('task-continued').waitFor()
  await visitor.pass(page, 'task-continue')
  await page.keyboard.press('Escape')
  await page.getByTestId('task-form').waitFor({ state: 'detached' })
  await visitor.choose(page, 'run-tab-changes')
  await page.getByTestId('run-changes').getByText('too large to show').waitFor()
  await visitor.see(page, 'task-changes')
  await page.getByTestId('changes-publish').click()
  await page.getByTestId('publish-subject').waitFor()
  await visitor.see(page, 'task-publish')
  told.publication = PUBLICATIONS.proposed
  await goTo(page, `/coding-agents/${ENDED}?view=publish`)
  await pullRequest(visitor, page)
  await goTo(page, `/coding-agents/${ENDED}`)
  await visitor.choose(page, 'run-tab-raw')
  await page.getByTestId('run-raw').waitFor()
  await visitor.pass(page, 'task-raw')
  told.session = { ...session, state: 'failed', reason: 'timed_out', error: 'The task took longer than 300 seconds.' }
  await goTo(page, `/coding-agents/${ENDED}`)
  await page.getByTestId('run-reason').waitFor()
  await visitor.see(page, 'task-failed')

  told.session = { ...session, ...ACTIVE, mode: 'interactive', prompt: '', state: 'running', lastSeq: 0 }
  told.happenings = []
  await printTo(page, SCREEN)
  await goTo(page, `/coding-agents/${ENDED}`)
  await terminalShown(page)
  await visitor.see(page, 'task-terminal')
  if (visitor.screen === 'wide') {
    await goTo(page, '/account')
    await terminalShown(page)
    await visitor.pass(page, 'dock-terminal')
    told.session = { ...session, ...ACTIVE, state: 'running', lastSeq: STEPS.length + 1 }
    told.happenings = [...STEPS, RUNNING]
    await goTo(page, '/account')
    await page.getByTestId('run-activity').getByText('npm test -- parser').waitFor()
    await visitor.see(page, 'dock-steps')
  }

  const gone = await visitor.open(owner, '/coding-agents/no-such-task')
  await gone.getByTestId('not-found').waitFor()
  await visitor.see(gone, 'task-not-found')
  await intercept(gone, `*${BASE}/*`, (request) => request.abort())
  await gone.routeWebSocket(/\/events$/, (socket) => socket.close())
  await goTo(gone, '/coding-agents')
  await gone.getByTestId('tasks-polling').waitFor()
  await visitor.see(gone, 'tasks-lost')
}
