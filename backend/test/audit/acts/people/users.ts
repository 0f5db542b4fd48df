/** What admins do to users. */
import type { CreatedUser } from '@slipway/protocol'
import { call, PASSWORD } from '../../../support/people/people.ts'
import { newAgent, type Team } from '../../../support/people/team.ts'
import { type Act, answer, type Expected, send, someAgent, someEmail, someName, someUser } from '../act.ts'

const invitedUser = async ({ app, admin }: Team) => {
  const body = { email: someEmail(), role: 'user' }
  const user = (await call(app, 'POST /users', { token: admin.token, body })).json<CreatedUser>()
  return { ...user, link: user.invitation?.url.split('#token=')[1] ?? '' }
}
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

export const USERS: readonly Act[] = [
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
    'the end of a task that waits in line, with the user who is deleted',
    204,
    async (team) => {
      const [name, leaver] = [await someAgent(team), await someUser(team)]
      await send(team, team.owner, `POST /agents/${name}/shares`, { email: leaver.email })
      await send(team, team.owner, `POST /agents/${name}/stop?wait=true`)
      const body = { agent: name, provider: 'codex', prompt: 'hi', queue: true }
      const { id } = (await call(team.app, 'POST /coding-agents/sessions', { token: leaver.token, body })).json<{
        id: string
      }>()
      const actor = team.admin.email
      const detail = { owner: team.owner.email, taskId: id, reason: 'access_revoked' }
      return {
        perform: () => send(team, team.admin, `DELETE /users/${leaver.id}`),
        rows: [
          { action: 'task.ended', actor, target: name, detail },
          { action: 'user.deleted', actor, target: leaver.email },
        ],
      }
    },
  ],
  [
    'the handover of all agents of a user who is deleted',
    204,
    async (team) => {
      const [name, leaver, heir] = [someName(), await someUser(team), await someUser(team)]
      await call(team.app, 'POST /agents?wait=true', { token: leaver.token, body: newAgent(name) })
      // The user is disabled before, so that the handing over is the first step that can be refused.
      await send(team, team.admin, `PATCH /users/${leaver.id}`, { disabled: true })
      const actor = team.admin.email
      const changes = { ownerId: { before: leaver.id, after: heir.id } }
      const detail = { from: leaver.email, to: heir.email, changes }
      return {
        perform: () => send(team, team.admin, `DELETE /users/${leaver.id}?agents=handover&to=${heir.id}`),
        rows: [
          { action: 'agent.handed_over', actor, target: name, detail },
          { action: 'user.deleted', actor, target: leaver.email },
        ],
      }
    },
  ],
]
