/** Skills in the database. Every query names their owner, and each change is recorded. */
import { isDeepStrictEqual } from 'node:util'
import { SKILL_BUDGET, SKILLS_MAX, type SkillFile, type SkillSettings } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { AppError } from '../../lib/errors.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { recorded } from '../audit/recorded-repository.ts'
import { type CredentialOwner, ownerColumns, ownerKey } from '../credentials/owner.ts'
import { unlessOwnerGone, withSetter } from '../credentials/sealed.ts'
import { filesIn } from './stored-files.ts'

/** Names this module's locks; the second key is the owner's. */
const SKILLS_LOCK = 505

/** A skill as stored. */
export interface StoredSkill {
  readonly owner: string
  readonly name: string
  readonly enabled: boolean
  readonly text: string
  readonly files: readonly SkillFile[]
  readonly setAt: Date
  /** The e-mail address of the user who set it; null if the account is gone. */
  readonly setBy: string | null
}

/** What {@link SkillRepository.set} writes. */
export interface NewSkill extends Omit<StoredSkill, 'owner' | 'setBy'> {
  readonly id: string
  readonly setById: string
}

const COLUMNS = {
  ...{ owner: true, name: true, enabled: true, text: true, files: true, setAt: true },
  setBy: { select: { email: true } },
} as const

const DEFAULTS: SkillSettings = { repository: false, maxPromptTokens: SKILL_BUDGET }

export class SkillRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Those of these owners, sorted by name: at most {@link SKILLS_MAX} of each. */
  async of(...owners: CredentialOwner[]): Promise<StoredSkill[]> {
    return load(this.#prisma, { owner: { in: owners.map(ownerKey) } })
  }

  /** Null if the owner has none of this name. */
  async find(owner: CredentialOwner, name: string): Promise<StoredSkill | null> {
    return (await load(this.#prisma, { owner: ownerKey(owner), name }))[0] ?? null
  }

  /**
   * Stores a skill. With `replace` also over another one of its name; the same one may be stored again. Null if its agent
   * or user is gone. Throws `NAME_TAKEN`, `TOO_MANY_SKILLS`.
   */
  async set(
    owner: CredentialOwner,
    { id, files, ...columns }: NewSkill,
    replace: boolean,
    entryOf: (before: StoredSkill | null, after: StoredSkill) => AuditEntry,
  ): Promise<StoredSkill | null> {
    return this.#prisma.$transaction(async (tx) => {
      const key = ownerKey(owner)
      // Two concurrent writes must not exceed the bound together.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${SKILLS_LOCK}::int, hashtext(${key}))`
      const [before = null] = await load(tx, { owner: key, name: columns.name })
      if (before !== null && !replace && !isSame(before, { ...columns, files }))
        throw new AppError('NAME_TAKEN', 'There is a skill of this name already. Replace it, or choose another name.')
      if (before === null && (await tx.skill.count({ where: { owner: key } })) >= SKILLS_MAX)
        throw new AppError('TOO_MANY_SKILLS', `There are ${SKILLS_MAX} skills, the maximum. Remove one first.`)
      const next = { ...columns, files: files.map(({ path, text }) => ({ path, text })) }
      const row = await unlessOwnerGone(
        tx.skill.upsert({
          where: { owner_name: { owner: key, name: columns.name } },
          create: { id, ...next, ...ownerColumns(owner) },
          update: next,
          select: COLUMNS,
        }),
      )
      const after = row && toStored(row)
      if (after) await this.#audit.record(tx, entryOf(before, after))
      return after
    })
  }

  /** Null if the owner has none of this name. */
  async switch(
    owner: CredentialOwner,
    name: string,
    enabled: boolean,
    entryOf: (before: StoredSkill, after: StoredSkill) => AuditEntry,
  ): Promise<StoredSkill | null> {
    return this.#prisma.$transaction(async (tx) => {
      const where = { owner: ownerKey(owner), name }
      const [before = null] = await load(tx, where)
      const { count } = await tx.skill.updateMany({ where, data: { enabled } })
      if (!before || count === 0) return null
      const after = { ...before, enabled }
      await this.#audit.record(tx, entryOf(before, after))
      return after
    })
  }

  /** False if the owner has none of this name. */
  async remove(owner: CredentialOwner, name: string, entry: AuditEntry): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const { count } = await tx.skill.deleteMany({ where: { owner: ownerKey(owner), name } })
      return count > 0 ? entry : null
    })
  }

  /** How the tasks of an agent get skills. */
  async settings(agentId: string): Promise<SkillSettings> {
    return (await this.#prisma.skillSetting.findUnique({ where: { agentId }, omit: { agentId: true } })) ?? DEFAULTS
  }

  /** False if the agent is gone. */
  async setSettings(
    agentId: string,
    settings: SkillSettings,
    entryOf: (before: SkillSettings, after: SkillSettings) => AuditEntry,
  ): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const where = { agentId }
      const before = (await tx.skillSetting.findUnique({ where, omit: { agentId: true } })) ?? DEFAULTS
      const written = tx.skillSetting.upsert({ where, create: { agentId, ...settings }, update: settings })
      if (!(await unlessOwnerGone(written))) return false
      await this.#audit.record(tx, entryOf(before, settings))
      return true
    })
  }
}

/** Whether a repeated request would store what is there. */
const isSame = (before: StoredSkill, after: Pick<StoredSkill, 'text' | 'enabled' | 'files'>): boolean =>
  before.text === after.text && before.enabled === after.enabled && isDeepStrictEqual(before.files, after.files)

const load = async (
  tx: Pick<Prisma.TransactionClient, 'skill'>,
  where: Prisma.SkillWhereInput,
): Promise<StoredSkill[]> =>
  (await tx.skill.findMany({ where, select: COLUMNS, orderBy: { name: 'asc' } })).map(toStored)

const toStored = (row: Prisma.SkillGetPayload<{ select: typeof COLUMNS }>): StoredSkill => ({
  ...withSetter(row),
  files: filesIn(row.files),
})
