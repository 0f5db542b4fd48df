import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { UNKNOWN } from '../../../../src/modules/git/diff/parse.ts'
import { writeDiff } from '../../../../src/modules/runs/changes/stored.ts'
import { until } from '@slipway/testing'
import { expect } from 'vitest'
import { ENDLESS } from '../../../support/engine/memory-engine.ts'
import { call } from '../../../support/people/people.ts'
import type { Team } from '../../../support/people/team.ts'
import { type Act, type Answer, execRows, row, seconds, send, someAgent } from '../act.ts'

const taskId: unknown = expect.any(String)

const TREE = 'a'.repeat(40)
/** A task of the owner that has changed something, and its agent. */
const changed = async (team: Team) => {
  const [agentName, id] = [await someAgent(team), randomUUID()]
  const agent = await team.database.prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const of = { id, sessionId: id, agentId: agent.id, agentName, userId: team.owner.id, personal: false }
  const what = { provider: 'claude-code', prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300 }
  const ended = { state: 'completed', reason: 'completed', endedAt: new Date() }
  await team.database.prisma.codingRun.create({ data: { ...of, ...what, ...ended } })
  await writeDiff(join(team.dataDir, 'transcripts'), { sessionId: id, live: false, ...UNKNOWN, startTree: TREE })
  return { agentName, path: `coding-agents/sessions/${id}/diff`, taskId: id, owner: team.owner.email }
}

/** A task of the owner that has ended, also in the audit log. */
const ended = async (team: Team) => {
  const agent = await someAgent(team)
  const body = { agent, provider: 'claude-code', prompt: 'Say hello' }
  const started = await call(team.app, 'POST /coding-agents/sessions', { token: team.owner.token, body })
  const { id } = started.json<{ id: string }>()
  const { auditEvent } = team.database.prisma
  const where = { action: 'task.ended', detail: { path: ['taskId'], equals: id } }
  await until('the end of the task', async () => (await auditEvent.count({ where })) > 0)
  return { agent, path: `/coding-agents/sessions/${id}` as const, facts: { owner: team.owner.email, taskId: id } }
}

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
  [
    'a discard of changes',
    200,
    async (team) => {
      const { agentName, path, ...facts } = await changed(team)
      const body = { since: 'turn', tree: TREE, path: 'a', hunk: 1 }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /${path}/discard`, body),
        rows: [row(team, 'changes.discarded', agentName, { ...facts, path: 'a', oldPath: null, hunk: 1 })],
      }
    },
  ],
  [
    'a commit of its work',
    200,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, `POST ${path}/publication/commit`, { branch: 'topic', message: 'Work' }),
        rows: [row(team, 'changes.committed', agent, { ...facts, branch: 'topic' })],
      }
    },
  ],
  [
    'a push of its work',
    204,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      const body = { branch: 'topic', commit: TREE }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/publication/push`, body),
        rows: [row(team, 'changes.pushed', agent, { ...facts, ...body }), ...execRows(team, agent, 'timeout')],
      }
    },
  ],
  [
    'a pull request of its work',
    409,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      const to = { branch: 'topic', base: 'main' }
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, `POST ${path}/publication/pull-request`, { ...to, title: 'Work', body: '' }),
        rows: [row(team, 'changes.proposed', agent, { ...facts, ...to }), ...execRows(team, agent, 'gh')],
      }
    },
  ],
  [
    'a comparison',
    201,
    async (team) => {
      const agent = await someAgent(team)
      await send(team, team.owner, `POST /agents/${agent}/stop?wait=true`)
      const target = { agent, provider: 'claude-code' }
      const targets = [
        { ...target, cwd: 'one' },
        { ...target, cwd: 'two' },
      ]
      const queued = row(team, 'task.queued', agent, { taskId, provider: 'claude-code', relation: 'owner' })
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, 'POST /coding-agents/comparisons', { prompt: 'Say hello', targets }),
        rows: [queued, queued],
      }
    },
  ],
  [
    'an archived task',
    200,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/archive`),
        rows: [row(team, 'task.archived', agent, facts)],
      }
    },
  ],
  [
    'a validation',
    202,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/validation`, {}),
        rows: [row(team, 'task.validated', agent, { ...facts, command: 'found' })],
      }
    },
  ],
  [
    'a validation that is ended',
    200,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      await send(team, team.owner, `POST ${path}/validation`, { command: ENDLESS })
      const begun = { action: 'exec.started', targetName: agent }
      await until('its command', async () => (await team.database.prisma.auditEvent.count({ where: begun })) > 0)
      const program = { owner: team.owner.email, mode: 'exec', reason: 'disconnected', exitCode: null, seconds }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE ${path}/validation`),
        rows: [row(team, 'task.validation_cancelled', agent, facts), row(team, 'exec.ended', agent, program)],
      }
    },
  ],
  [
    'the end of a task of another user',
    202,
    async (team) => {
      const { agentName, taskId: id } = await changed(team)
      const data = { state: 'running', reason: null, endedAt: null }
      await team.database.prisma.codingRun.update({ where: { id }, data })
      const told = row(team, 'task.terminated', agentName, { owner: team.owner.email, taskId: id })
      return {
        perform: (): Promise<Answer> => send(team, team.admin, `DELETE /coding-agents/sessions/${id}`),
        rows: [{ ...told, actor: team.admin.email }],
      }
    },
  ],
  [
    'a discard that is undone',
    204,
    async (team) => {
      const { agentName, path, ...facts } = await changed(team)
      const body = { since: 'turn', before: TREE, after: TREE }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /${path}/undo`, body),
        rows: [row(team, 'changes.restored', agentName, facts)],
      }
    },
  ],
  [
    'a task that is taken out of the archive',
    200,
    async (team) => {
      const { agent, path, facts } = await ended(team)
      await send(team, team.owner, `POST ${path}/archive`)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST ${path}/unarchive`),
        rows: [row(team, 'task.unarchived', agent, facts)],
      }
    },
  ],
]
