/** The repositories in the home of an agent. */
import { COMMIT } from '../scene/scene.ts'
import type { Answer, Asking, Needs, Row } from './row.ts'

const OF = { repository: 'app' }
const FILE = { ...OF, files: ['YQ'] }
const KEPT = 'refs/slipway/discarded/files-1-000000000000'
const STASH = { ...OF, at: 0, commit: COMMIT }

/** What is asked, and what a caller gets who may. */
const ASKED: readonly (readonly [string, Answer, Asking])[] = [
  ['GET repositories', 200, {}],
  ['GET status', 200, { query: 'repository=app' }],
  ['GET diff', 200, { query: 'repository=app&file=YQ&side=staged' }],
  ['GET refs', 200, { query: 'repository=app' }],
  ['GET log', 200, { query: 'repository=app' }],
  ['GET commits/:commit', 200, { query: 'repository=app' }],
  ['GET last-commit', 200, { query: 'repository=app' }],
  ['GET message-prompt', 200, { query: 'repository=app' }],
  ['GET stashes', 200, { query: 'repository=app' }],
  ['POST stage', 204, { body: () => FILE }],
  ['POST unstage', 204, { body: () => FILE }],
  ['POST discard', 200, { body: () => FILE }],
  ['POST undo', 204, { body: () => ({ ...OF, kept: KEPT }) }],
  // With the repository's own programs, as in a terminal.
  ['POST commit', 200, { body: () => ({ ...OF, message: 'x', runHooks: true }) }],
  ['POST branches', 204, { body: () => ({ ...OF, name: 'x' }) }],
  ['POST switch', 204, { body: () => ({ ...OF, name: 'x' }) }],
  ['POST fetch', 204, { body: () => OF }],
  ['POST pull', 204, { body: () => OF }],
  ['POST push', 204, { body: () => ({ ...OF, branch: 'x', commit: COMMIT }) }],
  ['GET pull-request', 200, { query: 'repository=app' }],
  [
    'POST pull-request',
    'REMOTE_REFUSED',
    { body: () => ({ ...OF, branch: 'topic', base: 'main', title: 'Work', body: '' }) },
  ],
  ['POST stashes', 200, { body: () => OF }],
  ['POST stashes/apply', 200, { body: () => STASH }],
  ['POST stashes/drop', 200, { body: () => STASH }],
]

/** The rows at one of an agent's two addresses. */
const rowsAt = (base: string, answers: (allowed: Answer) => Row[2], more: Asking = {}): Row[] =>
  ASKED.map(([asked, allowed, asking]): Row => {
    const [method = '', path = ''] = asked.split(' ')
    return [
      `${method} ${base}/git/${path}`,
      'terminal' satisfies Needs,
      answers(allowed),
      { ...asking, ...(path.includes(':') && more) },
    ]
  })

export const GIT_ROWS: readonly Row[] = [
  ...rowsAt('/api/agents/:name', (allowed) => [401, 404, allowed, allowed, allowed]),
  ...rowsAt('/api/system-agent', (allowed) => [401, 403, 403, 403, allowed], { target: () => COMMIT }),
]
