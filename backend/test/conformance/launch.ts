/** Conformance: whole containers. */
import { afterAll, describe, expect, it } from 'vitest'
import type { ContainerSpec } from '../../src/runtime/port.ts'
import { newSpec, type Subject } from './subject.ts'

export const testLaunch = ({ runtime, image }: Subject): void => {
  describe('launching a container', () => {
    const made: ContainerSpec[] = []
    const spec = (change?: Partial<ContainerSpec>): ContainerSpec => {
      const next = newSpec(image, change)
      made.push(next)
      return next
    }
    const sh = (id: string, script: string) =>
      runtime.run(id, { argv: ['sh', '-c', script], timeoutMs: 10_000, maxOutputBytes: 1000 })

    afterAll(async () => {
      for (const one of made) {
        const container = await runtime.find(one)
        if (container) await runtime.remove(container.id)
        await runtime.removeHome(one)
      }
    })

    it('makes it once, keeps its home when its specification changes, and starts it again after a stop', async () => {
      const first = spec()
      const made = await runtime.launch(first)
      expect(made).toMatchObject({ agentId: first.agentId, running: true, exitCode: null })
      expect(made.fingerprint).toBe(runtime.fingerprint(first))
      expect((await runtime.launch(first)).id).toBe(made.id)
      await sh(made.id, 'echo kept > ~/file; echo gone > /tmp/file')

      const remade = await runtime.launch({ ...first, memoryMb: 256 })
      expect(remade.id).not.toBe(made.id)
      const { stdout } = await sh(remade.id, 'cat ~/file; cat /tmp/file || true')
      expect(stdout.toString()).toBe('kept\n')

      await runtime.stop(remade.id, 1)
      expect(await runtime.find(first)).toMatchObject({ id: remade.id, running: false })
      expect(await runtime.launch({ ...first, memoryMb: 256 })).toMatchObject({ id: remade.id, running: true })
      expect((await runtime.list()).filter(({ agentId }) => agentId === first.agentId)).toHaveLength(1)
    })

    it('makes one container when it is asked for several at once', async () => {
      const specs = [spec(), spec()]
      const launched = await Promise.all(specs.map((one) => runtime.launch(one)))
      expect(launched.map(({ running }) => running)).toEqual([true, true])
    })

    it('leaves nothing half-made when the image is missing', async () => {
      const missing = spec({ image: 'slipway-test-missing:never' })
      await expect(runtime.launch(missing)).rejects.toMatchObject({ name: 'RuntimeError', code: 'image_missing' })
      expect(await runtime.find(missing)).toBeNull()
    })

    it('keeps the container that is there when the new image is missing', async () => {
      const one = spec()
      const { id } = await runtime.launch(one)
      const changed = { ...one, image: 'slipway-test-missing:never' }
      await expect(runtime.launch(changed)).rejects.toMatchObject({ code: 'image_missing' })
      expect(await runtime.find(one)).toMatchObject({ id, running: true })
    })

    it('fails with a typed error where the memory is too little to start with', async () => {
      const tiny = spec({ memoryMb: 4 })
      await expect(runtime.launch(tiny)).rejects.toMatchObject({ name: 'RuntimeError', code: 'no_memory' })
      expect(await runtime.find(tiny)).toBeNull()
    })

    it('takes what is gone already as stopped and removed', async () => {
      const one = spec()
      const { id } = await runtime.launch(one)
      await runtime.remove(id)
      await runtime.remove(id)
      await runtime.stop(id, 1)
      expect([...(await runtime.homes())]).toContain(one.agentId)
      await runtime.removeHome(one)
      await runtime.removeHome(one)
      expect([...(await runtime.homes())]).not.toContain(one.agentId)
      await expect(runtime.logs(id, 10)).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
