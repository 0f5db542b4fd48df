/** Mounts an agent's routes at both of its addresses: `/agents/:name`, and `/system-agent` for admins. */
import type { FastifyRequest, FastifySchema } from 'fastify'
import Type, { type TProperties } from 'typebox'
import { assertAllowed } from '../access/plugin.ts'
import type { Action } from '../access/policy.ts'
import { type AgentAction, SYSTEM_ACTIONS } from '../access/system-actions.ts'
import type { Caller } from '../identity/caller.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { AgentService, Found, Locate } from './service.ts'

/** An agent's name in an address. An invalid name gets the same answer as a missing agent. */
const NAME = Type.String({ maxLength: 100 })

/** One of the two addresses. */
export interface AgentAddress {
  readonly base: '/agents/:name' | '/system-agent'
  readonly isSystem: boolean
  /**
   * The options of a route: its action and its schema. At the system agent's address the action is the system
   * counterpart. The schema has the parameters of the address and those of `params`.
   */
  route<S extends FastifySchema, P extends TProperties = TProperties>(
    action: AgentAction,
    schema: S,
    params?: P,
  ): { readonly config: { readonly action: Action }; readonly schema: S & { params: Type.TObject<P> } }
  /**
   * The agent of a request, checked for the action of its route, or for the action that its body asks for. Throws
   * `NOT_FOUND` and `FORBIDDEN`.
   */
  find(request: FastifyRequest, action?: AgentAction): Promise<Found>
  /** The same for a caller who authenticates later. */
  locate(request: FastifyRequest): Locate
}

const addressOf = (agents: Pick<AgentService, 'require' | 'requireSystem'>, isSystem: boolean): AgentAddress => {
  const actionOf = (action: AgentAction): Action => (isSystem ? SYSTEM_ACTIONS[action] : action)
  const require = (request: FastifyRequest, caller: Caller, action: Action): Promise<Found> =>
    isSystem
      ? agents.requireSystem(caller, action)
      : agents.require(caller, (request.params as { name: string }).name, action)
  const locate =
    (request: FastifyRequest): Locate =>
    (caller: Caller) => {
      const { action } = request.routeOptions.config
      if (action === undefined || action === 'public') throw new Error('an agent is found for a declared action only')
      return require(request, caller, action)
    }
  return {
    base: isSystem ? '/system-agent' : '/agents/:name',
    isSystem,
    route: (action, schema, params) => {
      const all = { ...(isSystem ? {} : { name: NAME }), ...params }
      return {
        config: { action: actionOf(action) },
        // A route without parameters gets no schema for them, so it documents no error about them.
        schema: { ...schema, ...(Object.keys(all).length === 0 ? {} : { params: Type.Object(all) }) } as never,
      }
    },
    find: async (request, action) => {
      const caller = requireCaller(request)
      if (action === undefined) return locate(request)(caller)
      assertAllowed(caller, actionOf(action))
      return require(request, caller, actionOf(action))
    },
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
