import { type Act, type Answer, row, send, someName } from './act.ts'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'

const BASE = '/prompt-templates'
const fields = (name: string) => ({ name, prompt: 'Fix {{ticket}}' })

/** The address of a new template of the owner. */
const created = async ({ app, owner }: Team, name: string): Promise<`${typeof BASE}/${string}`> => {
  const response = await call(app, `POST ${BASE}`, { token: owner.token, body: fields(name) })
  return `${BASE}/${response.json<{ id: string }>().id}`
}

/** Prompt templates. */
export const TEMPLATES: readonly Act[] = [
  [
    'a new template',
    201,
    async (team) => {
      const name = someName()
      const changes = { name: { after: name }, prompt: { secret: 'set' } }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${BASE}`, fields(name)),
        rows: [row(team, 'template.created', name, { of: 'user', changes })],
      }
    },
  ],
  [
    "a new template of the platform's",
    201,
    async (team) => {
      const name = someName()
      return {
        perform: (): Promise<Answer> => send(team, team.admin, `POST /platform${BASE}`, fields(name)),
        rows: [{ ...row(team, 'template.created', name, { of: 'platform' }), actor: team.admin.email }],
      }
    },
  ],
  [
    'a changed template',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `PATCH ${path}`, { prompt: 'Look at {{ticket}}' }),
        rows: [row(team, 'template.changed', name, { changes: { prompt: { secret: 'changed' } } })],
      }
    },
  ],
  [
    'a removed template',
    204,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'template.removed', name, { changes: { name: { before: name } } })],
      }
    },
  ],
]
