import { type Act, type Answer, row, send, someAgent } from './act.ts'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'

const BASE = '/approval-rules'
const covers = { kind: 'command', words: ['git', 'push'], exact: false }
const RULE = { decision: 'allow', covers }
const NAME = 'git push …'

/** The address of a new rule of the owner. */
const made = async ({ app, owner }: Team): Promise<`${typeof BASE}/${string}`> => {
  const response = await call(app, `POST ${BASE}`, { token: owner.token, body: RULE })
  return `${BASE}/${response.json<{ id: string }>().id}`
}

/** Approval rules. */
export const RULES: readonly Act[] = [
  [
    'a new approval rule',
    201,
    async (team) => ({
      perform: (): Promise<Answer> => send(team, team.owner, `POST ${BASE}`, RULE),
      rows: [
        row(team, 'rule.created', NAME, {
          of: 'user',
          changes: { decision: { after: 'allow' }, covers: { after: `command: ${NAME}` } },
        }),
      ],
    }),
  ],
  [
    'a new approval rule of an agent',
    201,
    async (team) => {
      const agent = await someAgent(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /agents/${agent}${BASE}`, RULE),
        rows: [row(team, 'rule.created', NAME, { of: 'agent', agent })],
      }
    },
  ],
  [
    'a removed approval rule',
    204,
    async (team) => {
      const path = await made(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}`),
        rows: [row(team, 'rule.removed', NAME, { of: 'user', changes: { decision: { before: 'allow' } } })],
      }
    },
  ],
]
