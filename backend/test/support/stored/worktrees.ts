/** Worktrees that exist in the database alone. */
import { randomUUID } from 'node:crypto'
import type { Database } from '../../../src/database/open.ts'

/** A worktree of an agent that is in use: the changes of a task in it are not collected yet. */
export const someWorktree = async ({ prisma }: Pick<Database, 'prisma'>, agentId: string): Promise<string> => {
  const [id, runId] = [randomUUID(), randomUUID()]
  const [at, path] = [new Date(), `/home/developer/trees/app-${id.slice(0, 8)}`]
  const { name: agentName, ownerId } = await prisma.agent.findUniqueOrThrow({ where: { id: agentId } })
  const userId = ownerId ?? (await prisma.user.findFirstOrThrow()).id
  const task = { agentName, userId, provider: 'claude-code', prompt: 'hi', timeoutSeconds: 300, personal: false }
  const end = { state: 'completed', reason: 'completed', startTree: 'a'.repeat(40), endedAt: new Date('2100-01-01') }
  await prisma.codingRun.create({ data: { id: runId, sessionId: runId, agentId, cwd: path, ...task, ...end } })
  const git = { repository: '/home/developer/app', common: '/home/developer/app/.git', base: 'a'.repeat(40) }
  const row = { id, agentId, runId, path, ...git, branch: 'refs/heads/main' }
  await prisma.worktree.create({ data: { ...row, state: 'in_use', createdAt: at, usedAt: at } })
  return id
}
