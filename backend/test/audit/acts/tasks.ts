import { expect } from 'vitest'
import { type Act, type Answer, row, seconds, send, someAgent } from './act.ts'

const taskId: unknown = expect.any(String)

/** Tasks of coding CLIs. The engine of these tests runs no CLI, so the task ends without work. */
export const TASKS: readonly Act[] = [
  [
    'a task that waits in line',
    201,
    async (team) => {
      const agent = await someAgent(team)
      await send(team, team.owner, `POST /agents/${agent}/stop?wait=true`)
      const body = { agent, provider: 'claude-code', prompt: 'Say hello', queue: true }
      const facts = { owner: team.owner.email, taskId, provider: 'claude-code', relation: 'owner' }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /coding-agents/sessions', body),
        rows: [row(team, 'task.queued', agent, facts)],
      }
    },
  ],
  [
    'a task',
    201,
    async (team) => {
      const agent = await someAgent(team)
      const facts = { owner: team.owner.email, taskId, mode: 'task' }
      const body = { agent, provider: 'claude-code', prompt: 'Say hello' }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /coding-agents/sessions', body),
        rows: [
          row(team, 'task.started', agent, { ...facts, provider: 'claude-code', relation: 'owner' }),
          row(team, 'task.ended', agent, { ...facts, reason: 'finished_without_work', exitCode: 0, seconds }),
        ],
      }
    },
  ],
]
