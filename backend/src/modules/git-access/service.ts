/** Signs git in: each time that it asks, with the token that is in force then. */
import type { Log } from '../../lib/log.ts'
import type { AgentRepository } from '../agents/repository.ts'
import { relationOf } from '../agents/rows.ts'
import type { Visitor } from '../asks/visitor.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import type { GitSessionRepository } from './repository.ts'
import { answerOf, originIn } from './question.ts'

export interface GitAccessDeps {
  readonly agents: Pick<AgentRepository, 'byId'>
  readonly sessions: GitSessionRepository
  readonly authenticator: Pick<Authenticator, 'again'>
  readonly provisioner: Pick<Provisioner, 'gitSignIn'>
  readonly log: Log
}

export class GitAccess {
  readonly #deps: GitAccessDeps

  constructor(deps: GitAccessDeps) {
    this.#deps = deps
  }

  /**
   * What git gets; empty without a token for the host. A program may name any session of its agent. That gives it nothing: a
   * user's own token is in force only while all that happens in the agent is the owner's.
   */
  async answer({ agentId, sessionId }: Visitor, question: string): Promise<string> {
    const { agents, sessions, authenticator, provisioner, log } = this.#deps
    const origin = originIn(question)
    const agent = origin === null ? null : await agents.byId(agentId)
    if (origin === null || !agent?.useGitToken || sessionId === null) return ''
    const session = await sessions.open(agentId, sessionId)
    const caller = session && (await authenticator.again(session.userId, session.via))
    if (!caller || !relationOf(caller, agent)) return ''
    const signIn = await provisioner.gitSignIn(caller, agent, origin)
    if (signIn) log.info({ agentId, sessionId, userId: caller.userId }, 'git was signed in')
    return answerOf(signIn)
  }
}
