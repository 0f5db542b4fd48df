/** What users do to their own account. */
import type { CreatedApiToken, SshKey } from '@slipway/protocol'
import { readPublicKey } from '../../../../src/modules/identity/ssh-keys/public-key.ts'
import { call, PASSWORD, type Person, signIn } from '../../../support/people/people.ts'
import { newPublicKey } from '../../../support/ssh/new-key.ts'
import type { Team } from '../../../support/people/team.ts'
import { type Act, send, someUser, WRONG } from '../act.ts'

const someToken = async ({ app, owner }: Team) => {
  const body = { name: 'for ci', scopes: ['agents:read'] }
  return (await call(app, 'POST /tokens', { token: owner.token, body })).json<CreatedApiToken>()
}
const signInIdOf = ({ refreshToken }: Person): string | undefined => refreshToken.split('.')[0]

export const ACCOUNT: readonly Act[] = [
  [
    'another password',
    200,
    async (team) => {
      const person = await someUser(team)
      const other = await signIn(team, person.email)
      const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` }
      const detail = { changes: { passwordHash: { secret: 'changed' } }, signInsEnded: [signInIdOf(other)] }
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
    'signing out everywhere else',
    204,
    async (team) => {
      const person = await someUser(team)
      const signInsEnded = [signInIdOf(await signIn(team, person.email))]
      const by = { actor: person.email, target: person.email, detail: { signInsEnded } }
      return {
        perform: () => send(team, person, 'DELETE /users/me/sign-ins'),
        rows: [{ action: 'sign_in.others_ended', ...by }],
      }
    },
  ],
  [
    'signing out one other device',
    204,
    async (team) => {
      const person = await someUser(team)
      const other = signInIdOf(await signIn(team, person.email))
      return {
        perform: () => send(team, person, `DELETE /users/me/sign-ins/${other ?? ''}`),
        rows: [{ action: 'sign_in.ended', actor: person.email, target: person.email }],
      }
    },
  ],
  ...([true, false] as const).map((isAllowed): Act => [
    `a program of another device that is ${isAllowed ? 'allowed' : 'denied'} a token`,
    204,
    async (team) => {
      const asked = { name: 'slipway on laptop', scopes: ['terminal'] }
      const { userCode } = (await call(team.app, 'POST /device-logins', { body: asked })).json<{ userCode: string }>()
      const token = isAllowed ? { name: 'laptop', scopes: ['terminal'] } : null
      const detail = isAllowed ? token! : { name: asked.name }
      const { email } = team.owner
      const action = isAllowed ? 'device.allowed' : 'device.denied'
      return {
        perform: () => send(team, team.owner, 'POST /device-logins/decision', { userCode, token }),
        rows: [{ action, actor: email, target: email, detail }],
      }
    },
  ]),
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
    'an SSH key that is added',
    201,
    (team) => {
      const publicKey = newPublicKey()
      const { fingerprint } = readPublicKey(publicKey)
      const changes = { name: { after: 'laptop' }, fingerprint: { after: fingerprint } }
      const by = { actor: team.owner.email, target: 'laptop', detail: { changes } }
      return Promise.resolve({
        perform: () => send(team, team.owner, 'POST /ssh-keys', { name: 'laptop', publicKey }),
        rows: [{ action: 'ssh_key.added', ...by }],
      })
    },
  ],
  [
    'an SSH key that is removed',
    204,
    async (team) => {
      const body = { name: 'to go', publicKey: newPublicKey() }
      const { id } = (await call(team.app, 'POST /ssh-keys', { token: team.owner.token, body })).json<SshKey>()
      const row = { action: 'ssh_key.removed', actor: team.owner.email, target: 'to go' } as const
      return { perform: () => send(team, team.owner, `DELETE /ssh-keys/${id}`), rows: [row] }
    },
  ],
]
