/** Routes of an agent, mounted once for both of its addresses: `/agents/:name`, and `/system-agent` for admins. */
import type { FastifyRequest, FastifySchema } from 'fastify'
import Type, { type TProperties } from 'typebox'
import { type AgentAction, type Action, SYSTEM_ACTIONS } from '../access/policy.ts'
import type { Caller } from '../identity/caller.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { AgentService, Found, Locate } from './service.ts'

/** An agent's name in an address. What can be no name is answered as one that is missing. */
const NAME = Type.String({ maxLength: 100 })

/** One of the two addresses. */
export interface AgentAddress {
  readonly base: '/agents/:name' | '/system-agent'
  readonly isSystem: boolean
  /**
   * The options of a route: its action, which is the system agent's counterpart at that address, and its schema with the
   * parameters of the address and those of `params`.
   */
  route<S extends FastifySchema, P extends TProperties = TProperties>(
    action: AgentAction,
    schema: S,
    params?: P,
  ): { readonly config: { readonly action: Action }; readonly schema: S & { params: Type.TObject<P> } }
  /** The agent of a request, with the right that its route declares. Throws `NOT_FOUND` and `FORBIDDEN`. */
  find(request: FastifyRequest): Promise<Found>
  /** The same for a caller who is known only later. */
  locate(request: FastifyRequest): Locate
}

const addressOf = (agents: Pick<AgentService, 'require' | 'requireSystem'>, isSystem: boolean): AgentAddress => {
  const locate =
    (request: FastifyRequest): Locate =>
    (caller: Caller) => {
      const { action } = request.routeOptions.config
      if (action === undefined || action === 'public') throw new Error('an agent is found for a declared action only')
      if (isSystem) return agents.requireSystem(caller, action)
      return agents.require(caller, (request.params as { name: string }).name, action)
    }
  return {
    base: isSystem ? '/system-agent' : '/agents/:name',
    isSystem,
    route: (action, schema, params) => {
      const all = { ...(isSystem ? {} : { name: NAME }), ...params }
      return {
        config: { action: isSystem ? SYSTEM_ACTIONS[action] : action },
        // A route without parameters has no schema for them, and cannot be asked for a wrong one.
        schema: { ...schema, ...(Object.keys(all).length === 0 ? {} : { params: Type.Object(all) }) } as never,
      }
    },
    find: (request) => locate(request)(requireCaller(request)),
    locate,
  }
}

/** Calls `mount` for each address. */
export const onAgent = (
  agents: Pick<AgentService, 'require' | 'requireSystem'>,
  mount: (address: AgentAddress) => void,
): void => {
  for (const isSystem of [false, true]) mount(addressOf(agents, isSystem))
}
