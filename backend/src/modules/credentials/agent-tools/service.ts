/**
 * Lets the programs in an agent use the platform's tools. They act with the rights of an API token of the agent's owner, or
 * of an admin for the system agent. The token stays in the server.
 */
import type { AgentTools, SetAgentTools } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import type { AgentRepository } from '../../agents/repository.ts'
import type { AgentRow } from '../../agents/rows.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { Provisioner } from '../provision/provision.ts'
import type { AgentToolsRepository, ToolsToken } from './repository.ts'

interface Parts {
  readonly repository: AgentToolsRepository
  readonly agents: Pick<AgentRepository, 'byId'>
  readonly authenticator: Pick<Authenticator, 'again'>
  readonly provisioner: Pick<Provisioner, 'isOwnersAlone'>
  readonly clock: Clock
}

export class AgentToolsService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async view(agent: AgentRow): Promise<AgentTools> {
    const stored = await this.#parts.repository.of(agent.id)
    if (!stored) return { token: null, inForce: false, setAt: null }
    const { id, name, email: of, scopes, expiresAt, setAt } = stored
    const token = { id, name, of, scopes: [...scopes], expiresAt: expiresAt?.toISOString() ?? null }
    return { token, inForce: (await this.#callerFor(agent, stored)) !== null, setAt: setAt.toISOString() }
  }

  /** Throws `VALIDATION` for anything but a token of the caller that can use the tools; `NOT_FOUND`, `AUDIT_REFUSED`. */
  async set(caller: Caller, agent: AgentRow, { tokenId }: SetAgentTools): Promise<AgentTools> {
    const { repository, clock } = this.#parts
    const token = await repository.token(caller.userId, tokenId)
    if (!token) throw new AppError('VALIDATION', 'body.tokenId: you have no such API token')
    if (!token.scopes.includes('tasks:read'))
      throw new AppError('VALIDATION', 'body.tokenId: the tools need a token with the scope tasks:read')
    if (!(await repository.set(agent, token, actorOf(caller), new Date(clock.now())))) throw notFound()
    return this.view(agent)
  }

  /** Throws `AUDIT_REFUSED`. */
  async remove(caller: Caller, agent: AgentRow): Promise<void> {
    await this.#parts.repository.remove(agent, actorOf(caller))
  }

  /**
   * The caller as whom programs in an agent use the tools, now; null if they may not. The caller's source names the agent.
   * Rejects only if the database does not answer.
   */
  async callerIn(agentId: string, requestId: string): Promise<Caller | null> {
    const [agent, token] = await Promise.all([this.#parts.agents.byId(agentId), this.#parts.repository.of(agentId)])
    const caller = agent && token && (await this.#callerFor(agent, token))
    return caller && { ...caller, source: { address: `agent ${agent.name}`, requestId } }
  }

  async #callerFor(agent: AgentRow, { id, userId }: ToolsToken): Promise<Caller | null> {
    const caller = await this.#parts.authenticator.again(userId, { kind: 'api_token', id })
    if (!caller) return null
    // Every admin may use the system agent, and no other user.
    if (agent.isSystem) return caller.role === 'admin' ? caller : null
    // All who use an agent share what its programs may do.
    const isTheirs = agent.ownerId === userId && (await this.#parts.provisioner.isOwnersAlone(agent))
    return isTheirs ? caller : null
  }
}
