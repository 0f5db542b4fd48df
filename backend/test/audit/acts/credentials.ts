/** Credentials, variables, and the log itself. */
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'
import { type Act, send, someAgent, someUser } from './act.ts'

/** A kind of credential whose test contacts no service. */
const KIND = 'git-token'
const MINE = `/users/me/credentials/${KIND}` as const
const body = { value: 'glpat-of-an-act', address: 'https://git.example.org' }
const variable = { value: 'canary-of-an-act', secret: true }
const CONNECTOR = '/users/me/connectors/tracker'
const connector = { kind: 'http', url: 'https://mcp.example.org/', oauthToken: 'canary-of-an-act' }
const facts = { of: 'user', kind: KIND }

/** A user who has set a credential. */
const holder = async (team: Team) => {
  const person = await someUser(team)
  await call(team.app, `PUT ${MINE}`, { token: person.token, body })
  return { person, by: { actor: person.email, target: person.email } }
}

/** The id of a token of the owner that can use the tools. */
const someToken = async (team: Team): Promise<string> => {
  const body = { name: 'tools', scopes: ['tasks:read'] }
  return (await call(team.app, 'POST /tokens', { token: team.owner.token, body })).json<{ id: string }>().id
}

export const CREDENTIALS: readonly Act[] = [
  [
    'a credential that is set',
    200,
    async (team) => {
      const person = await someUser(team)
      const changes = { address: { after: body.address }, kind: { after: KIND }, sealed: { secret: 'set' } }
      const by = { actor: person.email, target: person.email }
      return {
        perform: () => send(team, person, `PUT ${MINE}`, body),
        rows: [{ action: 'credential.set', ...by, detail: { ...facts, changes } }],
      }
    },
  ],
  [
    'a credential that is tested',
    200,
    async (team) => {
      const { person, by } = await holder(team)
      return {
        perform: () => send(team, person, `POST ${MINE}/test`),
        rows: [{ action: 'credential.tested', ...by, detail: { ...facts, address: body.address } }],
      }
    },
  ],
  [
    'a credential that is removed',
    204,
    async (team) => {
      const { person, by } = await holder(team)
      return {
        perform: () => send(team, person, `DELETE ${MINE}`),
        rows: [{ action: 'credential.removed', ...by, detail: facts }],
      }
    },
  ],
  [
    'a variable that is set',
    200,
    async (team) => {
      const name = await someAgent(team)
      const changes = {
        keyId: { secret: 'set' },
        name: { after: 'FOO' },
        sealed: { secret: 'set' },
        secret: { after: true },
      }
      return {
        perform: () => send(team, team.owner, `PUT /agents/${name}/variables/FOO`, variable),
        rows: [{ action: 'variable.set', actor: team.owner.email, target: name, detail: { variable: 'FOO', changes } }],
      }
    },
  ],
  [
    'a variable that is removed',
    204,
    async (team) => {
      const name = await someAgent(team)
      await send(team, team.owner, `PUT /agents/${name}/variables/FOO`, variable)
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${name}/variables/FOO`),
        rows: [{ action: 'variable.removed', actor: team.owner.email, target: name, detail: { variable: 'FOO' } }],
      }
    },
  ],
  [
    'a connector that is set',
    200,
    async (team) => {
      const person = await someUser(team)
      const changes = {
        enabled: { after: true },
        keyId: { secret: 'set' },
        kind: { after: 'http' },
        name: { after: 'tracker' },
        sealed: { secret: 'set' },
      }
      const by = { actor: person.email, target: person.email }
      return {
        perform: () => send(team, person, `PUT ${CONNECTOR}`, connector),
        rows: [{ action: 'connector.set', ...by, detail: { of: 'user', connector: 'tracker', changes } }],
      }
    },
  ],
  [
    'a connector that is switched off',
    200,
    async (team) => {
      const person = await someUser(team)
      await send(team, person, `PUT ${CONNECTOR}`, connector)
      const changes = { enabled: { before: true, after: false } }
      const by = { actor: person.email, target: person.email }
      return {
        perform: () => send(team, person, `PATCH ${CONNECTOR}`, { enabled: false }),
        rows: [{ action: 'connector.switched', ...by, detail: { of: 'user', connector: 'tracker', changes } }],
      }
    },
  ],
  [
    'a connector that is removed',
    204,
    async (team) => {
      const person = await someUser(team)
      await send(team, person, `PUT ${CONNECTOR}`, connector)
      const by = { actor: person.email, target: person.email }
      return {
        perform: () => send(team, person, `DELETE ${CONNECTOR}`),
        rows: [{ action: 'connector.removed', ...by, detail: { of: 'user', connector: 'tracker' } }],
      }
    },
  ],
  [
    'tools that programs of an agent get',
    200,
    async (team) => {
      const [name, tokenId] = [await someAgent(team), await someToken(team)]
      const changes = { tokenId: { after: tokenId } }
      return {
        perform: () => send(team, team.owner, `PUT /agents/${name}/tools`, { tokenId }),
        rows: [
          { action: 'agent.tools_set', actor: team.owner.email, target: name, detail: { token: 'tools', changes } },
        ],
      }
    },
  ],
  [
    'tools that programs of an agent lose',
    204,
    async (team) => {
      const [name, tokenId] = [await someAgent(team), await someToken(team)]
      await send(team, team.owner, `PUT /agents/${name}/tools`, { tokenId })
      const changes = { tokenId: { before: tokenId } }
      return {
        perform: () => send(team, team.owner, `DELETE /agents/${name}/tools`),
        rows: [{ action: 'agent.tools_removed', actor: team.owner.email, target: name, detail: { changes } }],
      }
    },
  ],
  [
    'an export of the log',
    200,
    (team) =>
      Promise.resolve({
        perform: () => send(team, team.admin, 'GET /audit/export?format=csv&action=nothing'),
        rows: [{ action: 'audit.exported', actor: team.admin.email, target: null, detail: { format: 'csv' } }],
      }),
  ],
]
