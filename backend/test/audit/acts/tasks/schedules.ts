import { type Act, type Answer, row, send, someAgent, someName } from '../act.ts'
import { call } from '../../../support/people/people.ts'
import type { Team } from '../../../support/people/team.ts'

const BASE = '/coding-agents/schedules'
const fields = (name: string, agent: string) => ({
  name,
  agent,
  cron: '0 9 * * *',
  timezone: 'Europe/Berlin',
  prompt: 'Say hello',
})

/** A new schedule of the owner. */
const created = async (team: Team, name: string) => {
  const agent = await someAgent(team)
  const { app, owner } = team
  const response = await call(app, `POST ${BASE}`, { token: owner.token, body: fields(name, agent) })
  return { agent, path: `${BASE}/${response.json<{ id: string }>().id}` as const }
}

/** Schedules of tasks. */
export const SCHEDULES: readonly Act[] = [
  [
    'a new schedule',
    201,
    async (team) => {
      const [name, agent] = [someName(), await someAgent(team)]
      const changes = { name: { after: name }, cron: { after: '0 9 * * *' }, prompt: { secret: 'set' } }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${BASE}`, fields(name, agent)),
        rows: [row(team, 'schedule.created', name, { changes })],
      }
    },
  ],
  [
    'a changed schedule',
    200,
    async (team) => {
      const name = someName()
      const { path } = await created(team, name)
      const changes = { cron: { before: '0 9 * * *', after: '0 8 * * *' }, prompt: { secret: 'changed' } }
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, `PATCH ${path}`, { cron: '0 8 * * *', prompt: 'Say goodbye' }),
        rows: [row(team, 'schedule.changed', name, { changes })],
      }
    },
  ],
  [
    'a run of a schedule',
    201,
    async (team) => {
      const { agent, path } = await created(team, someName())
      // There it waits.
      await send(team, team.owner, `POST /agents/${agent}/stop?wait=true`)
      const scheduleId = path.split('/').at(-1)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/run`),
        rows: [row(team, 'task.queued', agent, { provider: 'claude-code', relation: 'owner', scheduleId })],
      }
    },
  ],
  [
    'a removed schedule',
    204,
    async (team) => {
      const name = someName()
      const { path } = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'schedule.removed', name, { changes: { name: { before: name } } })],
      }
    },
  ],
]
