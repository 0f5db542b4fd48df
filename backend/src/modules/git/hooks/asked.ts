/** Programs that run in an agent for a user who waits for them. A room above this one runs them. */
import type { ExecBody, ExecResult } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentAddress } from '../../agents/on-agent.ts'
import type { Found, Locate } from '../../agents/service.ts'

/** The agent, how it is found again when the program starts, and when the client has gone. */
export interface Asked {
  readonly found: Found
  readonly locate: Locate
  readonly left: AbortSignal
}

export const askedOf = async (
  { find, locate }: Pick<AgentAddress, 'find' | 'locate'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked> => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return { found: await find(request), locate: locate(request), left: left.signal }
}

export interface UserPrograms {
  /** Runs a program with the user's credentials. It counts for their limits, and ends with their right to the agent. */
  run(asked: Asked, program: ExecBody): Promise<ExecResult>
  /** The text without the secrets that such a program may print. */
  masked(asked: Asked, text: string): Promise<string>
}
