/** What users do with the repositories in an agent. */
import type { AuditAction } from '@slipway/protocol'
import { type Act, execRows, send, someAgent } from './act.ts'

const OF = { repository: 'work/app' }
const FILE = { ...OF, files: [Buffer.from('a b').toString('base64url')] }
const PATH = { ...OF, path: 'a b' }
const COMMIT = '0'.repeat(40)
const PUSHED = { branch: 'x', commit: COMMIT }
const PROPOSED = { branch: 'topic', base: 'main' }
const STASH = { ...OF, at: 0, commit: COMMIT }

const act = (
  name: string,
  answered: number,
  action: AuditAction,
  path: string,
  body: object,
  facts: object,
  program: string | null = null,
): Act => [
  name,
  answered,
  async (team) => {
    const agent = await someAgent(team)
    const row = { action, actor: team.owner.email, target: agent, detail: facts }
    return {
      perform: () => send(team, team.owner, `POST /agents/${agent}/git/${path}`, body),
      rows: [row, ...(program === null ? [] : execRows(team, agent, program))],
    }
  },
]

export const GIT: readonly Act[] = [
  act('a file that is staged', 204, 'git.staged', 'stage', FILE, PATH),
  act('a file that is unstaged', 204, 'git.unstaged', 'unstage', FILE, PATH),
  act('files that are discarded', 200, 'git.discarded', 'discard', { ...OF, files: ['YQ', 'Yg'] }, { ...OF, files: 2 }),
  act(
    'a discard that is undone',
    204,
    'git.restored',
    'undo',
    { ...OF, kept: 'refs/slipway/discarded/files-1-000000000000' },
    OF,
  ),
  act('a commit of what is staged', 200, 'git.committed', 'commit', { ...OF, message: 'Private words' }, OF),
  act(
    'a commit that takes the place of another one',
    200,
    'git.committed',
    'commit',
    { ...OF, message: 'Private words', amends: COMMIT },
    { ...OF, amends: COMMIT },
  ),
  act(
    'a commit with the hooks of the repository',
    200,
    'git.committed',
    'commit',
    { ...OF, message: 'Private words', runHooks: true },
    { ...OF, hooks: true },
    'timeout',
  ),
  act(
    'a file that is staged by its filter',
    204,
    'git.staged',
    'stage',
    { ...FILE, runHooks: true },
    { ...PATH, hooks: true },
    'timeout',
  ),
  act(
    'a branch that is checked out with hooks',
    204,
    'git.switched',
    'switch',
    { ...OF, name: 'x', runHooks: true },
    { ...OF, branch: 'x', hooks: true },
    'timeout',
  ),
  act('a branch that is created', 204, 'git.branch_created', 'branches', { ...OF, name: 'x' }, { ...OF, branch: 'x' }),
  act('a branch that is checked out', 204, 'git.switched', 'switch', { ...OF, name: 'x' }, { ...OF, branch: 'x' }),
  act('a fetch', 204, 'git.fetched', 'fetch', OF, OF, 'timeout'),
  act('a pull', 204, 'git.pulled', 'pull', OF, OF, 'timeout'),
  act('a push', 204, 'git.pushed', 'push', { ...OF, ...PUSHED }, { ...OF, ...PUSHED }, 'timeout'),
  act(
    'a pull request of a branch',
    409,
    'git.proposed',
    'pull-request',
    { ...OF, ...PROPOSED, title: 'Private words', body: '' },
    { ...OF, ...PROPOSED },
    'gh',
  ),
  act(
    'changes that are put aside',
    200,
    'git.stashed',
    'stashes',
    { ...OF, message: 'Private words' },
    { ...OF, untracked: false },
  ),
  act('a stash that is applied', 200, 'git.stash_applied', 'stashes/apply', STASH, { ...OF, commit: COMMIT }),
  act('a stash that is dropped', 200, 'git.stash_dropped', 'stashes/drop', STASH, { ...OF, commit: COMMIT }),
]
