/** Programs that start in a container, as the engine reports them. */
import { createInterface } from 'node:readline'
import { engineTime, until } from '@slipway/testing'
import { docker } from '../engine.ts'

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

export const watchExecs = async (container: string): Promise<Execs> => {
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
