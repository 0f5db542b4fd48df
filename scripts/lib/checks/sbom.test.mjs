// The list of the product's components, which each release has.
import { expect, it } from 'vitest'
import { capture } from '../commands.mjs'

/** The property by which npm marks a package for development only. */
const DEVELOPMENT = 'cdx:npm:package:development'

const list = async (...options) => {
  const argv = ['npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', ...options]
  const { code, stdout, output } = await capture(argv)
  expect(code, output).toBe(0)
  return JSON.parse(stdout).components
}

it('is complete, and tells what is for development only', async () => {
  const components = await list()
  const isForDevelopment = (wanted) =>
    components
      .filter(({ name }) => name === wanted)
      .map(({ properties }) => properties.some(({ name }) => name === DEVELOPMENT))
  for (const name of ['fastify', 'vue', '@xterm/xterm', '@xterm/headless'])
    expect({ name, development: isForDevelopment(name) }).toEqual({ name, development: [false] })
  expect(isForDevelopment('vitest')).toEqual([true])
})

it('can be made without what is for development: no package is needed in two versions at once', async () => {
  const names = (await list('--omit', 'dev')).map(({ name }) => name)
  expect(names).toContain('fastify')
  expect(names).not.toContain('vitest')
})
