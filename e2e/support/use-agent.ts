/** A user with a running agent, for all tests of a file. */
import type { Agent, CreateAgent } from '@slipway/protocol'
import { afterAll, beforeAll, inject } from 'vitest'
import { type Client, newUser, signInAdmin } from './api.ts'

export interface Owned {
  readonly owner: Client
  readonly agent: Agent
  /** Path of the agent's page, and of its resources below `/api`. */
  readonly path: string
  /** The engine's name of its container. */
  readonly container: string
}

/**
 * Call it once at the top of a file. The account and the agent exist in hooks and tests. The agent is deleted after
 * them.
 */
export const useAgent = (settings: Partial<CreateAgent> = {}): Owned => {
  let made: Pick<Owned, 'owner' | 'agent'> | undefined
  const there = (): Pick<Owned, 'owner' | 'agent'> => {
    if (!made) throw new Error('the agent is there inside of hooks and tests only')
    return made
  }
  beforeAll(async () => {
    const owner = await newUser(await signInAdmin())
    made = { owner, agent: await owner.agent(settings) }
  })
  afterAll(() => made?.owner.ok('DELETE', `/agents/${made.agent.name}`))
  return {
    get owner() {
      return there().owner
    },
    get agent() {
      return there().agent
    },
    get path() {
      return `/agents/${there().agent.name}`
    },
    get container() {
      return `${inject('namespace')}-agent-${there().agent.name}`
    },
  }
}
