/** Programs that are started in a container, as the engine tells it. */
import { createInterface } from 'node:readline'
import { until } from '@slipway/testing'
import { docker } from '../engine.ts'

export interface Execs {
  /** How many were created so far. One of the test's own, not counted, is heard of last: whatever came before it was told. */
  count(): Promise<number>
  stop(): void
}

interface Told {
  readonly Actor: { readonly Attributes: { readonly execID: string } }
}

export const watchExecs = async (container: string): Promise<Execs> => {
  const filters = { container: [container], event: ['exec_create'] }
  const events = (await docker.getEvents({ filters })) as NodeJS.ReadableStream & { destroy(): void }
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
