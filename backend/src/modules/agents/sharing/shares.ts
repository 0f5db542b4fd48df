/** Sharing an agent with colleagues. */
import type { Share } from '@slipway/protocol'
import { AppError, notFound } from '../../../lib/errors.ts'
import { type PageOf, pageOf, type PageStart } from '../../../lib/page.ts'
import { actorOf } from '../../identity/caller.ts'
import type { AgentRepository } from '../repository.ts'
import type { Found } from '../service.ts'
import type { AgentSignals } from '../news/signals.ts'

const toShare = (share: { userId: string; email: string; createdAt: Date }): Share => ({
  userId: share.userId,
  email: share.email,
  createdAt: share.createdAt.toISOString(),
})

export class ShareService {
  readonly #repository: AgentRepository
  readonly #signals: AgentSignals

  constructor(repository: AgentRepository, signals: AgentSignals) {
    this.#repository = repository
    this.#signals = signals
  }

  async list({ row }: Found, start: PageStart): Promise<PageOf<Share>> {
    const shares = await this.#repository.shares(row.id, start)
    return pageOf(shares, start.limit, (share) => share.userId, toShare)
  }

  async add({ row, caller }: Found, email: string): Promise<Share> {
    const user = await this.#repository.userByEmail(email.trim().toLowerCase())
    if (!user) throw new AppError('USER_NOT_FOUND', 'No user has this e-mail address. Ask an admin to invite them.')
    if (user.id === row.ownerId) throw new AppError('WRONG_STATE', 'This user owns the agent already.')
    const shared = await this.#repository.share(row, user, actorOf(caller))
    // The agent or the user was deleted meanwhile.
    if (!shared) throw notFound()
    this.#signals.shared.emit({ row })
    this.#signals.changed.emit(row.id)
    return toShare({ userId: user.id, email: user.email, createdAt: shared.createdAt })
  }

  async remove({ row, caller }: Found, userId: string): Promise<void> {
    const sharedAt = await this.#repository.unshare(row, userId, actorOf(caller))
    if (!sharedAt) throw notFound()
    this.#signals.unshared.emit({ row, userId, sharedAt, caller })
  }

  /**
   * The owner confirms that their own credentials may be used in it again, although other users had access. Throws
   * `WRONG_STATE` while it is shared.
   */
  async trust({ row, caller }: Found): Promise<void> {
    if (await this.#repository.trust(row, actorOf(caller))) return
    throw new AppError('WRONG_STATE', 'The agent is shared. Stop sharing it first.')
  }
}
