/** Programs that start in the container of an agent, as the engine reports them. */
import { createInterface } from 'node:readline'
import { engineTime, until } from '@slipway/testing'
import { docker } from '../engine.ts'
import { relayAnswers } from '../tasks/relay.ts'
import type { Owned } from '../use-agent.ts'

export interface Execs {
  /**
   * Number of execs created so far. The test creates one of its own, which is not counted: once its event arrives, all
   * earlier ones have arrived.
   */
  count(): Promise<number>
  stop(): void
}

interface Told {
  readonly Actor: { readonly Attributes: { readonly execID: string } }
}

/** Watches an agent whose relay answers. The server starts it a moment after the agent, and it is a program, too. */
export const watchExecs = async ({ owner, agent, container }: Owned): Promise<Execs> => {
  await relayAnswers(owner, agent.name)
  const filters = { container: [container], event: ['exec_create'] }
  const events = (await docker.getEvents({ filters, since: engineTime() })) as NodeJS.ReadableStream & {
    destroy(): void
  }
  const told: string[] = []
  const own = new Set<string>()
  createInterface({ input: events }).on('line', (line) => {
    told.push((JSON.parse(line) as Told).Actor.Attributes.execID)
  })
  return {
    count: async () => {
      const { id } = await docker.getContainer(container).exec({ Cmd: ['true'] })
      own.add(id)
      await until('the exec of the test itself', () => told.includes(id))
      return told.slice(0, told.indexOf(id)).filter((one) => !own.has(one)).length
    },
    stop: () => events.destroy(),
  }
}
