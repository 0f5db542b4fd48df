import { type Act, type Answer, row, send, someAgent, someName } from './act.ts'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'

const BASE = '/webhooks'
const INCOMING = '/incoming-webhooks'
/** Nothing answers there. */
const fields = (name: string) => ({ name, url: 'http://127.0.0.1:1/', kinds: ['task.ended'] })
const taskFields = (name: string, agent: string) => ({
  name,
  agent,
  source: 'github',
  prompt: 'Look at {{issue.title}}',
})
const of = { direction: 'outgoing', of: 'user' }

/** A new webhook of the owner. */
const created = async ({ app, owner }: Team, name: string) => {
  const response = await call(app, `POST ${BASE}`, { token: owner.token, body: fields(name) })
  return `${BASE}/${response.json<{ id: string }>().id}` as const
}
const createdIncoming = async (team: Team, name: string) => {
  const body = taskFields(name, await someAgent(team))
  const response = await call(team.app, `POST ${INCOMING}`, { token: team.owner.token, body })
  return `${INCOMING}/${response.json<{ id: string }>().id}` as const
}

/** Webhooks of tasks. */
export const WEBHOOKS: readonly Act[] = [
  [
    'a new webhook',
    201,
    async (team) => {
      const name = someName()
      const changes = { name: { after: name }, sealed: { secret: 'set' } }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${BASE}`, fields(name)),
        rows: [row(team, 'webhook.created', name, { ...of, changes })],
      }
    },
  ],
  [
    "a new webhook of the platform's",
    201,
    async (team) => {
      const name = someName()
      return {
        perform: (): Promise<Answer> => send(team, team.admin, `POST /platform${BASE}`, fields(name)),
        rows: [{ ...row(team, 'webhook.created', name, { of: 'platform' }), actor: team.admin.email }],
      }
    },
  ],
  [
    'a changed webhook',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      const changes = { enabled: { before: true, after: false }, sealed: { secret: 'changed' } }
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, `PATCH ${path}`, { enabled: false, url: 'https://hooks.example.org/' }),
        rows: [row(team, 'webhook.changed', name, { ...of, changes })],
      }
    },
  ],
  [
    'a new secret of a webhook',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/rotate`),
        rows: [row(team, 'webhook.rotated', name, { ...of, changes: { sealed: { secret: 'changed' } } })],
      }
    },
  ],
  [
    'a test of a webhook',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/test`),
        rows: [row(team, 'webhook.tested', name, of)],
      }
    },
  ],
  [
    'a delivery that is sent again',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      const test = await call(team.app, `POST ${path}/test`, { token: team.owner.token })
      const { id: deliveryId } = test.json<{ id: string }>()
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/deliveries/${deliveryId}/again`),
        rows: [row(team, 'webhook.sent_again', name, { ...of, deliveryId })],
      }
    },
  ],
  [
    'a removed webhook',
    204,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'webhook.removed', name, { ...of, changes: { name: { before: name } } })],
      }
    },
  ],
  [
    'a new incoming webhook',
    201,
    async (team) => {
      const [name, agent] = [someName(), await someAgent(team)]
      const changes = { name: { after: name }, prompt: { secret: 'set' }, sealed: { secret: 'set' } }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${INCOMING}`, taskFields(name, agent)),
        rows: [row(team, 'webhook.created', name, { direction: 'incoming', changes })],
      }
    },
  ],
  [
    'a changed incoming webhook',
    200,
    async (team) => {
      const name = someName()
      const path = await createdIncoming(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `PATCH ${path}`, { prompt: 'Something else' }),
        rows: [row(team, 'webhook.changed', name, { changes: { prompt: { secret: 'changed' } } })],
      }
    },
  ],
  [
    'a new secret of an incoming webhook',
    200,
    async (team) => {
      const name = someName()
      const path = await createdIncoming(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/rotate`),
        rows: [row(team, 'webhook.rotated', name, { direction: 'incoming' })],
      }
    },
  ],
  [
    'a removed incoming webhook',
    204,
    async (team) => {
      const name = someName()
      const path = await createdIncoming(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'webhook.removed', name, { direction: 'incoming' })],
      }
    },
  ],
]
