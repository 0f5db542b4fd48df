/** Conformance: the events that a runtime reports, and its answers to questions. */
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import type { RuntimeEvent } from '../../src/runtime/port.ts'
import { newSpec, type Subject } from './subject.ts'

export const testEvents = (subject: Subject): void => {
  const { runtime, image, events } = subject
  const about = (containerId: string): RuntimeEvent['type'][] =>
    events.filter((event) => 'containerId' in event && event.containerId === containerId).map(({ type }) => type)

  describe('what is told of a container', () => {
    it('is its start, its end with the exit code, and its removal', async () => {
      const spec = newSpec(image)
      const { id } = await runtime.launch(spec)
      // After a first program the container's main process handles the stop signal.
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
      const written = async () =>
        (await runtime.logs(subject.containerId, 10)).filter(({ text }) => text === 'to the log')
      const [line] = await until('the line', async () => ((await written()).length > 0 ? await written() : null))
      expect(line).toMatchObject({ stream: 'stdout', at: expect.stringMatching(/^\d{4}-.*\.\d{9}Z$/) as string })
      const usage = await runtime.usage(subject.containerId)
      expect(usage).toMatchObject({ memoryLimitBytes: 512 * 2 ** 20, networkRxBytes: expect.any(Number) as number })
      expect(usage.memoryBytes).toBeGreaterThan(0)
      expect(usage.memoryBytes).toBeLessThan(512 * 2 ** 20)
      expect(usage.processes).toBeGreaterThan(0)
      expect(Math.abs(usage.at - Date.now())).toBeLessThan(60_000)
    })

    // `processes.ts` has CPU time that a program took.
    longIt('is how much more CPU it took, where a program was busy', async () => {
      const before = await runtime.usage(subject.containerId)
      // A fixed amount of work, because a busy machine gives little CPU in a fixed time. It takes some 400 ms.
      await subject.sh('n=0; while [ $((n+=1)) -lt 500000 ]; do :; done')
      const after = await runtime.usage(subject.containerId)
      expect(after.cpuMs - before.cpuMs).toBeGreaterThan(50)
      expect(after.at).toBeGreaterThan(before.at)
    })
  })
}
