/** What admins do to budgets. */
import { type Act, send, someUser } from '../act.ts'

export const BUDGETS: readonly Act[] = [
  [
    'the budget of a user',
    200,
    async (team) => {
      const { id, email } = await someUser(team)
      await send(team, team.admin, `PUT /users/${id}/budget`, { limitUsd: 5 })
      const changes = { limitUsd: { before: 5, after: 50 } }
      return {
        perform: () => send(team, team.admin, `PUT /users/${id}/budget`, { limitUsd: 50 }),
        rows: [{ action: 'budget.changed', actor: team.admin.email, target: email, detail: { changes } }],
      }
    },
  ],
  [
    'the budget of the platform',
    200,
    async (team) => {
      await send(team, team.admin, 'PUT /platform/budget', { limitUsd: 1000 })
      const changes = { limitUsd: { before: 1000 } }
      return {
        perform: () => send(team, team.admin, 'PUT /platform/budget', { limitUsd: null }),
        rows: [{ action: 'budget.changed', actor: team.admin.email, target: 'Platform', detail: { changes } }],
      }
    },
  ],
]
