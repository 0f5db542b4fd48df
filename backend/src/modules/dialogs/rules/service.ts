/** Rules of people that allow or deny what coding CLIs ask about. */
import { type ApprovalRule, type CreateApprovalRule, type RuleCovers, RULES_MAX } from '@slipway/protocol'
import { posix } from 'node:path'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import { mustBeExact } from './matching/programs.ts'
import type { Rule } from './matching/ruling.ts'
import {
  type NewRule,
  ownerOf,
  type RuleHolder,
  type RuleRepository,
  type RuleRow,
  type RuleTransaction,
} from './repository.ts'

interface Deps {
  readonly rules: RuleRepository
  readonly clock: Clock
  readonly newId: NewId
}

/** What becomes a rule. */
export type RuleFields = Pick<CreateApprovalRule, 'decision' | 'covers' | 'expiresAt'>

export class RuleService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those of the holders that have not ended, oldest first. */
  async list(...holders: readonly RuleHolder[]): Promise<ApprovalRule[]> {
    return (await this.#deps.rules.of(holders, this.#now())).map(present)
  }

  /** Those that count for a task of the user in the agent. */
  async inForce(userId: string, agent: { readonly id: string; readonly name: string }): Promise<Rule[]> {
    const holders = [{ of: 'user', id: userId }, { of: 'agent', ...agent }, { of: 'platform' }] as const
    return (await this.#deps.rules.of(holders, this.#now())).map(({ decision, covers, ...row }) => ({
      ...{ of: ownerOf(row), decision, covers },
    }))
  }

  /** Throws `VALIDATION`, `TOO_MANY_RULES`, `AUDIT_REFUSED`. An equal rule is replaced. */
  async create(caller: Caller, holder: RuleHolder, fields: RuleFields): Promise<ApprovalRule> {
    const row = await this.#deps.rules.create(holder, this.#newRule(caller, fields), RULES_MAX, actorOf(caller))
    if (row === null) throw tooMany()
    return present(row)
  }

  /** The same in a transaction, for the answer to a question. */
  async createIn(
    tx: RuleTransaction,
    caller: Caller,
    holder: RuleHolder,
    fields: RuleFields,
    dialogId: string,
  ): Promise<void> {
    const rule = this.#newRule(caller, fields)
    const row = await this.#deps.rules.createIn(tx, holder, rule, RULES_MAX, actorOf(caller), { dialogId })
    if (row === null) throw tooMany()
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, holder: RuleHolder, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#deps.rules.remove(holder, id, actorOf(caller)))) throw notFound()
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }

  #newRule(caller: Caller, { decision, covers, expiresAt }: RuleFields): NewRule {
    const createdAt = this.#now()
    const ends = expiresAt === undefined ? null : new Date(expiresAt)
    if (ends !== null && ends <= createdAt) throw wrong('expiresAt: must be in the future')
    const refusal = refusalOf(covers, decision)
    if (refusal !== null) throw wrong(`covers.${refusal}`)
    return { id: this.#deps.newId(), decision, covers, createdAt, createdBy: caller.email, expiresAt: ends }
  }
}

/** Why there can be no such rule, as `field: reason`; null if there can. */
const refusalOf = (covers: RuleCovers, decision: RuleFields['decision']): string | null => {
  if (covers.kind === 'path' && (posix.normalize(covers.path) !== covers.path || covers.path.endsWith('/')))
    return 'path: must have no dots, and no slash at its end'
  if (covers.kind === 'command' && decision === 'allow' && !covers.exact && mustBeExact(covers.words))
    return `exact: must be true, because what follows decides what ${covers.words[0] ?? ''} runs`
  return null
}

const wrong = (reason: string): AppError => new AppError('VALIDATION', `body.${reason}`)
const tooMany = (): AppError =>
  new AppError('TOO_MANY_RULES', `There are ${RULES_MAX} approval rules, the maximum. Delete one first.`)

const present = (row: RuleRow): ApprovalRule => ({
  ...{ id: row.id, of: ownerOf(row), decision: row.decision, covers: row.covers, createdBy: row.createdBy },
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
})
