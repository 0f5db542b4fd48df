/** A program in an agent that has connected over the agent's relay. */
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../lib/errors.ts'

/** Known from the relay, so no program can claim to be in another agent. */
export interface Visitor {
  readonly agentId: string
  /** The session to which it says that it belongs. It may be any session of the same agent, so look it up there. */
  readonly sessionId: string | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Over a relay, programs may use this route without a token. */
    visitors?: true
  }

  interface FastifyRequest {
    /** Null on the network. */
    visitor: Visitor | null
  }
}

/** The program that makes a request over a relay. */
export const requireVisitor = ({ visitor }: FastifyRequest): Visitor => {
  if (!visitor) throw notFound()
  return visitor
}
