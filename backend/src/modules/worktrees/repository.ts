/** Worktrees and their settings in the database. */
import { type WorktreeSettings, WORKTREE_MODES, WORKTREE_ROOT, WORKTREES_PER_AGENT } from '@slipway/protocol'
import { Prisma, type PrismaClient } from '../../database/generated/client.ts'
import { MINUTE_MS } from '../../lib/time/clock.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { AgentRow } from '../agents/rows.ts'
import type { Actor } from '../audit/actor.ts'
import type { Audit } from '../audit/audit.ts'
import { changesOf } from '../audit/audited.ts'
import { FOR_CONVERSATION, type Made } from './program.ts'

/** How long the row of a removed worktree is kept, in milliseconds: a task may continue in it meanwhile. */
const REMOVED_KEPT_MS = 90 * 24 * 60 * MINUTE_MS
/** Longest time from the end of a run until its changes are collected, in milliseconds. */
const COLLECT_MS = 5 * MINUTE_MS
/** Most folders of runs that are looked at. */
const RUNS_MAX = 500

/** A worktree is being made, or was not made to its end; a run may work in it; it was kept; it is being removed; it is gone. */
export type StoredState = 'making' | 'in_use' | 'kept' | 'removing' | 'removed'

/** A stored worktree. */
export interface WorktreeRow {
  readonly id: string
  readonly agentId: string
  readonly userId: string | null
  readonly runId: string
  readonly path: string
  readonly repository: string
  readonly common: string
  readonly base: string
  readonly branch: string | null
  readonly state: StoredState
  readonly kept: string | null
  readonly salvage: string | null
  readonly createdAt: Date
  readonly usedAt: Date
}

export type NewWorktree = Pick<WorktreeRow, 'id' | 'agentId' | 'userId' | 'runId' | 'path' | 'createdAt'>

/** No agent has chosen yet. */
export const DEFAULTS: WorktreeSettings = { mode: 'off', root: WORKTREE_ROOT, setup: null }

/** Whether a path is a folder, or in it. */
export const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Whether the run `r` works in the folder `path`, will, or has changes there that are not collected yet. */
const uses = (path: Prisma.Sql, now: Date): Prisma.Sql => Prisma.sql`
  (r."cwd" = ${path} OR starts_with(r."cwd", ${path} || '/'))
  AND (r."endedAt" IS NULL OR (r."startTree" IS NOT NULL AND r."endedAt" > ${new Date(now.getTime() - COLLECT_MS)}))`

export class WorktreeRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  async settingsOf(agentId: string): Promise<WorktreeSettings> {
    const row = await this.#prisma.worktreeSettings.findUnique({ where: { agentId } })
    if (!row) return DEFAULTS
    return { mode: WORKTREE_MODES.find((mode) => mode === row.mode) ?? DEFAULTS.mode, root: row.root, setup: row.setup }
  }

  /** Records the change in the same transaction. */
  async set(
    agent: Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>,
    settings: WorktreeSettings,
    actor: Actor,
  ): Promise<void> {
    const where = { agentId: agent.id }
    await this.#prisma.$transaction(async (tx) => {
      const before = await tx.worktreeSettings.findUnique({ where })
      const after = await tx.worktreeSettings.upsert({ where, create: { ...where, ...settings }, update: settings })
      const event = agentEvent(agent, { changes: changesOf('WorktreeSettings', before, after) })
      await this.#audit.record(tx, { actor, action: 'worktrees.set', ...event })
    })
  }

  /** Stores one that is about to be made. False if the agent has too many. */
  async create(row: NewWorktree): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${row.agentId}::uuid FOR UPDATE`
      if ((await tx.worktree.count({ where: there(row.agentId) })) >= WORKTREES_PER_AGENT) return false
      const unknown = { repository: '', common: '', base: '' }
      await tx.worktree.create({ data: { ...row, ...unknown, state: 'making', usedAt: row.createdAt } })
      return true
    })
  }

  async made(id: string, { path, repository, common, base, branch }: Made): Promise<void> {
    await this.#prisma.worktree.update({
      where: { id },
      data: { path, repository, common, base, branch, state: 'in_use' },
    })
  }

  /** It was not made. */
  async forget(id: string): Promise<void> {
    await this.#prisma.worktree.deleteMany({ where: { id } })
  }

  /** Stores a new state, if the present one is among these. Answers whether it was. */
  async turn(
    id: string,
    from: readonly StoredState[],
    state: StoredState,
    more: Pick<Prisma.WorktreeUpdateManyMutationInput, 'kept' | 'salvage' | 'usedAt' | 'removedAt'> = {},
  ): Promise<boolean> {
    const where = { id, state: { in: [...from] } }
    return (await this.#prisma.worktree.updateMany({ where, data: { state, ...more } })).count > 0
  }

  /** Those of an agent that are not removed, newest first. */
  async of(agentId: string): Promise<WorktreeRow[]> {
    const rows = await this.#prisma.worktree.findMany({ where: there(agentId), orderBy: { createdAt: 'desc' } })
    return rows as WorktreeRow[]
  }

  async find(agentId: string, id: string): Promise<WorktreeRow | null> {
    return (await this.#prisma.worktree.findFirst({ where: { ...there(agentId), id } })) as WorktreeRow | null
  }

  /** Also a removed one. */
  async byId(id: string): Promise<WorktreeRow | null> {
    return (await this.#prisma.worktree.findUnique({ where: { id } })) as WorktreeRow | null
  }

  /** The one in which a folder is, also a removed one. */
  async containing(agentId: string, folder: string): Promise<WorktreeRow | null> {
    const rows = await this.#prisma.$queryRaw<WorktreeRow[]>`
      SELECT * FROM "Worktree" WHERE "agentId" = ${agentId}::uuid
      AND (${folder} = "path" OR starts_with(${folder}, "path" || '/'))
      ORDER BY length("path") DESC, "createdAt" DESC LIMIT 1`
    return rows[0] ?? null
  }

  /** Those of agents that a run or a conversation may have left, without those in use. */
  async left(agentIds: readonly string[], now: Date): Promise<WorktreeRow[]> {
    return this.#prisma.$queryRaw<WorktreeRow[]>`
      SELECT w.* FROM "Worktree" w WHERE w."agentId" = ANY(${agentIds}::uuid[])
      AND (w."state" IN ('making', 'in_use', 'removing') OR (w."state" = 'kept' AND w."kept" = ${FOR_CONVERSATION}))
      AND NOT EXISTS (
        SELECT 1 FROM "CodingRun" r WHERE r."agentId" = w."agentId" AND ${uses(Prisma.sql`w."path"`, now)})
      ORDER BY w."usedAt"`
  }

  /** The folders of an agent's runs at work, perhaps without one of them. */
  async activeFolders(agentId: string, but: string | null): Promise<string[]> {
    const where = { agentId, endedAt: null, state: { not: 'queued' }, ...(but !== null && { NOT: { id: but } }) }
    const runs = await this.#prisma.codingRun.findMany({ where, select: { cwd: true }, take: RUNS_MAX })
    return runs.map(({ cwd }) => cwd)
  }

  /** Whether a run works in a folder, will, or has changes there that are not collected yet. */
  async isUsed(agentId: string, path: string, now: Date): Promise<boolean> {
    const rows = await this.#prisma.$queryRaw<readonly unknown[]>`
      SELECT 1 FROM "CodingRun" r WHERE r."agentId" = ${agentId}::uuid AND ${uses(Prisma.sql`${path}`, now)} LIMIT 1`
    return rows.length > 0
  }

  /** The newest conversation of each worktree of an agent, if it is not archived, by the worktree. */
  async conversations(agentId: string): Promise<Map<string, string>> {
    const rows = await this.#prisma.$queryRaw<{ readonly worktreeId: string; readonly id: string }[]>`
      SELECT DISTINCT ON (w."id") w."id" AS "worktreeId", c."id"
      FROM "Conversation" c LEFT JOIN "CodingRun" r ON r."id" = c."lastRunId"
      JOIN "Worktree" w ON w."agentId" = c."agentId"
        AND (coalesce(r."cwd", c."cwd") = w."path" OR starts_with(coalesce(r."cwd", c."cwd"), w."path" || '/'))
      WHERE c."agentId" = ${agentId}::uuid AND c."archivedAt" IS NULL AND w."state" <> 'removed'
      ORDER BY w."id", c."lastActivityAt" DESC`
    return new Map(rows.map(({ worktreeId, id }) => [worktreeId, id]))
  }

  /** Whether the run for which one is being made is still about to start. */
  async isStarting(runId: string): Promise<boolean> {
    return (await this.#prisma.codingRun.count({ where: { id: runId, state: 'starting' } })) > 0
  }

  /** A run works in another folder from now on. */
  async moved({ id, generation }: { readonly id: string; readonly generation: number }, cwd: string): Promise<void> {
    await this.#prisma.codingRun.updateMany({ where: { id, generation, endedAt: null }, data: { cwd } })
  }

  /** Of all agents by state, without those that are removed, for the metrics. */
  async counts(): Promise<Map<string, number>> {
    const where = { state: { not: 'removed' } }
    const rows = await this.#prisma.worktree.groupBy({ by: ['state'], where, _count: true })
    return new Map(rows.map(({ state, _count: count }) => [state, count]))
  }

  /** Removes the rows of what was removed long ago. */
  async sweep(now: Date): Promise<void> {
    await this.#prisma.worktree.deleteMany({
      where: { state: 'removed', removedAt: { lt: new Date(now.getTime() - REMOVED_KEPT_MS) } },
    })
  }
}

const there = (agentId: string) => ({ agentId, state: { not: 'removed' } })
