/** Conformance: what a runtime reports by itself, and what it tells when asked. */
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { RuntimeEvent } from '../port.ts'
import { newSpec, type Subject } from './subject.ts'

export const testEvents = (subject: Subject): void => {
  const { runtime, image, events } = subject
  const about = (containerId: string): RuntimeEvent['type'][] =>
    events.filter((event) => 'containerId' in event && event.containerId === containerId).map(({ type }) => type)

  describe('what is told of a container', () => {
    it('is its start, its end with the exit code, and its removal', async () => {
      const spec = newSpec(image)
      const { id } = await runtime.launch(spec)
      // So that the stop finds something that hears it.
      await runtime.run(id, { argv: ['true'], timeoutMs: 10_000, maxOutputBytes: 0 })
      await runtime.stop(id, 5)
      await runtime.remove(id)
      await runtime.removeHome(spec)
      await until('its removal', () => about(id).includes('removed'))
      expect(about(id)).toEqual(['started', 'died', 'removed'])
      const died = events.find((event) => event.type === 'died' && event.containerId === id)
      expect(died).toMatchObject({ agentId: spec.agentId, exitCode: 143 })
    })

    it('is what it wrote and uses, when asked', async () => {
      await subject.sh('echo "to the log" > /proc/1/fd/1')
      await until('the line', async () => (await runtime.logs(subject.containerId, 10)).includes('to the log\n'))
      const stats = await runtime.stats(subject.containerId)
      expect(stats).toMatchObject({ memoryLimitBytes: 512 * 2 ** 20, networkRxBytes: expect.any(Number) as number })
      expect(stats.memoryBytes).toBeGreaterThan(0)
      expect(stats.memoryBytes).toBeLessThan(512 * 2 ** 20)
      expect(stats.processes).toBeGreaterThan(0)
    })
  })
}
