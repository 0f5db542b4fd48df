import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { capture, mustRun } from './commands.mjs'
import { removeLeftovers, withNamespace } from './namespace.mjs'

const image = process.env.SLIPWAY_TEST_IMAGE
const newPrefix = () =>
  `${process.env.SLIPWAY_TEST_NAMESPACE ?? 'slipway-test-scripts'}-${randomBytes(4).toString('hex')}`

describe.skipIf(!image)('what a run leaves in the engine', () => {
  it('is found by its name and by its label, and removed', async () => {
    const prefix = newPrefix()
    await mustRun(['docker', 'volume', 'create', `${prefix}-home`])
    await mustRun(['docker', 'network', 'create', `${prefix}-net`])
    const { stdout } = await mustRun(['docker', 'create', '--label', `${prefix}.managed=true`, image])
    expect(await removeLeftovers(prefix)).toEqual([
      expect.stringMatching(/^container \w+$/),
      `volume ${prefix}-home`,
      `network ${prefix}-net`,
    ])
    expect((await capture(['docker', 'inspect', stdout.trim()])).code).not.toBe(0)
    expect(await removeLeftovers(prefix)).toEqual([])
  })

  it('is not a network that the engine keeps, because it counts a container of another prefix', async () => {
    const [prefix, other] = [newPrefix(), newPrefix()]
    await mustRun(['docker', 'network', 'create', `${prefix}-net`])
    const user = ['--name', `${other}-user`, '--network', `${prefix}-net`, '--entrypoint', 'sleep', image, '600']
    await mustRun(['docker', 'run', '--detach', ...user])
    expect(await removeLeftovers(prefix)).toEqual([])
    expect(await removeLeftovers(other)).toEqual([`container ${other}-user`])
    // Docker 20.10 may go on to count it.
    expect([[`network ${prefix}-net`], []]).toContainEqual(await removeLeftovers(prefix))
  })

  it('is reported after the run, and its folder is gone', async () => {
    const { result, leftovers } = await withNamespace('test', async ({ namespace, folder }) => {
      await mustRun(['docker', 'volume', 'create', `${namespace}-home`])
      return { namespace, folder }
    })
    expect(leftovers).toEqual([`volume ${result.namespace}-home`])
    expect(existsSync(result.folder)).toBe(false)
  })

  it('is removed after a failure, too', async () => {
    let name
    const failing = withNamespace('test', async ({ namespace }) => {
      name = `${namespace}-home`
      await mustRun(['docker', 'volume', 'create', name])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await capture(['docker', 'volume', 'inspect', name])).code).not.toBe(0)
  })

  it('is told apart from what a running platform has', async () => {
    vi.stubEnv('SLIPWAY_DATABASE_URL', 'postgresql://precious')
    vi.stubEnv('SLIPWAY_BENCH_NODE_FLAGS', '--inspect')
    const { result } = await withNamespace('test', async ({ env }) => env)
    vi.unstubAllEnvs()
    expect(result).not.toHaveProperty('SLIPWAY_DATABASE_URL')
    expect(result.SLIPWAY_BENCH_NODE_FLAGS).toBe('--inspect')
    expect(result.SLIPWAY_NAMESPACE).toMatch(/^slipway-test-[0-9a-f]{8}$/)
  })
})
