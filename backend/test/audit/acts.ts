/** Every class of act that is recorded: how it is prepared and done, and what is recorded of it. */
import type { AuditAction, CreatedApiToken, CreatedUser } from '@slipway/protocol'
import { randomUUID } from 'node:crypto'
import { addressOf } from '../support/listener.ts'
import { LEFT_PID } from '../support/memory-engine.ts'
import { addPerson, type Call, call, PASSWORD, type Person, refreshTokenFrom, signIn } from '../support/people.ts'
import { newAgent, type Team } from '../support/team.ts'
import { TerminalSocket } from '../support/terminal-socket.ts'

/** What an act was answered: a status and its error's code, or the code that a socket was closed with. */
export interface Answer {
  readonly status: number
  readonly code?: string | undefined
}

/** A row that is expected: what was done, by whom (`null`: nobody proven), to what, and some of its facts. */
export interface Expected {
  readonly action: AuditAction
  readonly actor: string | null
  readonly target: string | null
  readonly detail?: object
}

/** An act that is ready to be done. It is done twice: refused first, then in earnest. */
export interface Ready {
  readonly perform: () => Promise<Answer>
  readonly rows: readonly Expected[]
}

export type Act = readonly [name: string, answered: number, prepare: (team: Team) => Promise<Ready>]

const answer = ({ statusCode, body }: { statusCode: number; body: string }): Answer => ({
  status: statusCode,
  ...(statusCode < 400 ? {} : { code: (JSON.parse(body) as { code: string }).code }),
})
const send = ({ app }: Team, { token }: Person, what: Call, body?: object): Promise<Answer> =>
  call(app, what, { token, body }).then(answer)
const someName = (): string => `a-${randomUUID().slice(0, 13)}`
const someEmail = (): string => `${someName()}@example.org`
const WRONG = 'not the password at all'

const someAgent = async ({ app, owner }: Team): Promise<string> => {
  const name = someName()
  await call(app, 'POST /agents?wait=true', { token: owner.token, body: newAgent(name) })
  return name
}
const someUser = (team: Team): Promise<Person> => addPerson(team, team.admin, someEmail())
const invitedUser = async ({ app, admin }: Team) => {
  const body = { email: someEmail(), role: 'user' }
  const user = (await call(app, 'POST /users', { token: admin.token, body })).json<CreatedUser>()
  return { ...user, link: user.invitation?.url.split('#token=')[1] ?? '' }
}
const someToken = async ({ app, owner }: Team) => {
  const body = { name: 'for ci', scopes: ['agents:read'] }
  return (await call(app, 'POST /tokens', { token: owner.token, body })).json<CreatedApiToken>()
}
/** A command to an agent of the owner's. */
const command = (path: string, action: AuditAction): Act => [
  `${path} of an agent`,
  202,
  async (team) => {
    const agent = await someAgent(team)
    const row = { action, actor: 'owner@example.org', target: agent, detail: { owner: 'owner@example.org' } }
    return { perform: () => send(team, team.owner, `POST /agents/${agent}/${path}`), rows: [row] }
  },
]
const toUser = (name: string, body: object, row: Omit<Expected, 'actor' | 'target'>): Act => [
  name,
  200,
  async (team) => {
    const { id, email } = await someUser(team)
    if ('disabled' in body && body.disabled === false)
      await send(team, team.admin, `PATCH /users/${id}`, { disabled: true })
    const rows = [{ ...row, actor: team.admin.email, target: email }]
    return { perform: () => send(team, team.admin, `PATCH /users/${id}`, body), rows }
  },
]

export const ACTS: readonly Act[] = [
  [
    'a sign-in',
    200,
    async (team) => {
      const { email } = await someUser(team)
      return {
        perform: () => call(team.app, 'POST /auth/login', { body: { email, password: PASSWORD } }).then(answer),
        rows: [{ action: 'login.succeeded', actor: email, target: email, detail: { by: 'password' } }],
      }
    },
  ],
  [
    'a sign-in with a wrong password',
    401,
    async (team) => {
      const { email } = await someUser(team)
      const body = { email: email.toUpperCase(), password: WRONG }
      const detail = { reason: 'wrong_password' }
      return {
        perform: () => call(team.app, 'POST /auth/login', { body }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: email, detail }],
      }
    },
  ],
  [
    'a sign-in of nobody',
    401,
    (team) =>
      Promise.resolve({
        perform: () =>
          call(team.app, 'POST /auth/login', { body: { email: 'No\0body', password: WRONG } }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: 'no\ufffdbody', detail: { reason: 'no_account' } }],
      }),
  ],
  [
    'a link that does not work',
    401,
    (team) => {
      const body = { token: 'guessed', password: PASSWORD }
      return Promise.resolve({
        perform: () => call(team.app, 'POST /auth/invitation', { body }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: null, detail: { reason: 'invalid_link' } }],
      })
    },
  ],
  [
    'a refresh token that is used twice',
    401,
    async (team) => {
      const person = await someUser(team)
      const refresh = (token = person.refreshToken) => call(team.app, 'POST /auth/refresh', { refreshToken: token })
      // The last but one is taken for a moment longer.
      await refresh(refreshTokenFrom(await refresh()))
      const row = { action: 'sign_in.token_reused', actor: null, target: person.email } as const
      return { perform: () => refresh().then(answer), rows: [row] }
    },
  ],
  [
    'a sign-out',
    204,
    async (team) => {
      const { email, refreshToken } = await someUser(team)
      return {
        perform: () => call(team.app, 'POST /auth/logout', { refreshToken }).then(answer),
        rows: [{ action: 'sign_in.ended', actor: email, target: email }],
      }
    },
  ],
  [
    'a user who is added',
    201,
    (team) => {
      const email = someEmail()
      const changes = { email: { after: email }, role: { after: 'admin' }, passwordHash: { secret: 'set' } }
      const body = { email, role: 'admin', password: PASSWORD }
      return Promise.resolve({
        perform: () => send(team, team.admin, 'POST /users', body),
        rows: [{ action: 'user.created', actor: team.admin.email, target: email, detail: { changes } }],
      })
    },
  ],
  [
    'a user who is invited',
    201,
    (team) => {
      const email = someEmail()
      const by = { actor: team.admin.email, target: email }
      return Promise.resolve({
        perform: () => send(team, team.admin, 'POST /users', { email, role: 'user' }),
        rows: [
          { action: 'user.created', ...by },
          { action: 'user.invited', ...by },
        ],
      })
    },
  ],
  [
    'another invitation',
    201,
    async (team) => {
      const { id, email } = await invitedUser(team)
      const row = { action: 'user.invited', actor: team.admin.email, target: email } as const
      return { perform: () => send(team, team.admin, `POST /users/${id}/invitation`), rows: [row] }
    },
  ],
  [
    'an invitation that is accepted',
    200,
    async (team) => {
      const { email, link } = await invitedUser(team)
      const body = { token: link, password: PASSWORD }
      return {
        perform: () => call(team.app, 'POST /auth/invitation', { body }).then(answer),
        rows: [
          { action: 'user.invitation_accepted', actor: email, target: email },
          { action: 'login.succeeded', actor: email, target: email, detail: { by: 'link' } },
        ],
      }
    },
  ],
  toUser(
    'another role',
    { role: 'admin' },
    {
      action: 'user.role_changed',
      detail: { changes: { role: { before: 'user', after: 'admin' } } },
    },
  ),
  toUser('a user who is disabled', { disabled: true }, { action: 'user.disabled' }),
  toUser('a user who is enabled', { disabled: false }, { action: 'user.enabled' }),
  [
    'a user who is deleted',
    204,
    async (team) => {
      const { id, email } = await someUser(team)
      const row = { action: 'user.deleted', actor: team.admin.email, target: email } as const
      return { perform: () => send(team, team.admin, `DELETE /users/${id}`), rows: [row] }
    },
  ],
  [
    'another password',
    200,
    async (team) => {
      const person = await someUser(team)
      const other = await signIn(team, person.email)
      const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` }
      const ended = (
        await team.database.prisma.signIn.findFirstOrThrow({
          where: { id: other.refreshToken.split('.')[0] ?? '' },
        })
      ).id
      const detail = { changes: { passwordHash: { secret: 'changed' } }, signInsEnded: [ended] }
      return {
        perform: () => send(team, person, 'PATCH /users/me', body),
        rows: [{ action: 'user.password_changed', actor: person.email, target: person.email, detail }],
      }
    },
  ],
  [
    'another password with a wrong current one',
    401,
    async (team) => {
      const person = await someUser(team)
      const body = { currentPassword: WRONG, newPassword: PASSWORD }
      const row = { action: 'user.password_refused', actor: person.email, target: person.email } as const
      return { perform: () => send(team, person, 'PATCH /users/me', body), rows: [row] }
    },
  ],
  [
    'an API token that is made',
    201,
    (team) => {
      const body = { name: 'deploys', scopes: ['terminal'], expiresInDays: 1 }
      const changes = { name: { after: 'deploys' }, scopes: { after: ['terminal'] } }
      const row = { action: 'token.created', actor: team.owner.email, target: 'deploys', detail: { changes } } as const
      return Promise.resolve({ perform: () => send(team, team.owner, 'POST /tokens', body), rows: [row] })
    },
  ],
  [
    'an API token that is revoked',
    204,
    async (team) => {
      const { id } = await someToken(team)
      const row = { action: 'token.revoked', actor: team.owner.email, target: 'for ci' } as const
      return { perform: () => send(team, team.owner, `DELETE /tokens/${id}`), rows: [row] }
    },
  ],
  [
    'an agent that is made',
    201,
    (team) => {
      const name = someName()
      const changes = { name: { after: name }, memoryMb: { after: 256 }, ownerId: { after: team.owner.id } }
      const row = { action: 'agent.created', actor: team.owner.email, target: name, detail: { changes } } as const
      return Promise.resolve({ perform: () => send(team, team.owner, 'POST /agents', newAgent(name)), rows: [row] })
    },
  ],
  [
    'the settings of an agent',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const changes = { model: { before: null, after: 'opus' } }
      const detail = { owner: team.owner.email, changes }
      return {
        perform: () => send(team, team.admin, `PATCH /agents/${agent}`, { model: 'opus', memoryMb: 256 }),
        rows: [{ action: 'agent.changed', actor: team.admin.email, target: agent, detail }],
      }
    },
  ],
  command('start', 'agent.started'),
  command('stop', 'agent.stopped'),
  command('restart', 'agent.restarted'),
  [
    'an agent that is deleted',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const by = { actor: team.owner.email, target: agent }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}`),
        rows: [
          { action: 'agent.deleting', ...by },
          { action: 'agent.deleted', ...by },
        ],
      }
    },
  ],
  [
    'a new container of the system agent',
    202,
    (team) =>
      Promise.resolve({
        perform: () => send(team, team.admin, 'POST /system-agent/recreate?wait=true'),
        rows: [{ action: 'agent.recreated', actor: team.admin.email, target: 'system', detail: { owner: null } }],
      }),
  ],
  [
    'an agent that is shared',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const { id, email } = team.colleague
      const detail = { with: email, changes: { userId: { after: id } } }
      return {
        perform: () => send(team, team.owner, `POST /agents/${agent}/shares`, { email }),
        rows: [{ action: 'share.created', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'an agent that is shared no more',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const { id, email } = team.colleague
      await send(team, team.owner, `POST /agents/${agent}/shares`, { email })
      const row = { action: 'share.removed', actor: team.owner.email, target: agent, detail: { with: email } } as const
      return { perform: () => send(team, team.owner, `DELETE /agents/${agent}/shares/${id}`), rows: [row] }
    },
  ],
  [
    'a download',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes' }
      return {
        perform: () => send(team, team.owner, `GET /agents/${agent}/files?path=notes`),
        rows: [{ action: 'file.downloaded', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'an upload',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { path: '/home/developer/notes', size: 2 }
      return {
        perform: () => send(team, team.owner, `PUT /agents/${agent}/files?path=~/notes`, {}),
        rows: [{ action: 'file.uploaded', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'the end of a process',
    204,
    async (team) => {
      const agent = await someAgent(team)
      const detail = { pid: LEFT_PID, program: 'sleep', sessionId: null }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${agent}/processes/${LEFT_PID}`),
        rows: [{ action: 'process.ended', actor: team.owner.email, target: agent, detail }],
      }
    },
  ],
  [
    'a terminal',
    1000,
    async (team) => {
      const agent = await someAgent(team)
      const url = `ws://${await addressOf(team)}/api/agents/${agent}/terminal?mode=bash`
      const by = { actor: team.admin.email, target: agent }
      const facts = { owner: team.owner.email, mode: 'bash' }
      const end = { ...facts, reason: 'disconnected', exitCode: null }
      return {
        perform: async () => {
          const terminal = await TerminalSocket.open(url, team.admin.token)
          terminal.close()
          return { status: await terminal.closed }
        },
        rows: [
          { action: 'terminal.started', ...by, detail: { ...facts, relation: 'admin' } },
          { action: 'terminal.ended', ...by, detail: end },
        ],
      }
    },
  ],
]
