import { type Act, type Answer, row, send, someName } from './act.ts'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'

const fields = (name: string) => ({ name, display_name: 'Aider', binary: 'aider', default_args: ['--yes'] })

/** The address of a new custom provider. */
const created = async ({ app, owner }: Team, name: string): Promise<`/cli-providers/${string}`> => {
  const response = await call(app, 'POST /cli-providers', { token: owner.token, body: fields(name) })
  return `/cli-providers/${response.json<{ id: string }>().id}`
}

/** Custom providers of tasks. */
export const PROVIDERS: readonly Act[] = [
  [
    'a new custom provider',
    201,
    async (team) => {
      const name = someName()
      const changes = { name: { after: name }, binary: { after: 'aider' }, defaultArgs: { after: ['--yes'] } }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /cli-providers', fields(name)),
        rows: [row(team, 'provider.created', name, { changes })],
      }
    },
  ],
  [
    'a changed custom provider',
    200,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `PUT ${path}`, { binary: '/opt/aider' }),
        rows: [row(team, 'provider.changed', name, { changes: { binary: { before: 'aider', after: '/opt/aider' } } })],
      }
    },
  ],
  [
    'a removed custom provider',
    204,
    async (team) => {
      const name = someName()
      const path = await created(team, name)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'provider.removed', name, { changes: { name: { before: name } } })],
      }
    },
  ],
]
