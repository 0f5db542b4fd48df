import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hashInputs, withBuildContext } from './build-context.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'context-'))
  mkdirSync(join(folder, 'certificates'))
  writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch')
})
afterEach(() => vi.unstubAllEnvs())

describe('the hash of an image’s inputs', () => {
  it('changes with a file and with a build argument, and not with a test', () => {
    const before = hashInputs(folder, {})
    writeFileSync(join(folder, 'smoke.test.ts'), 'anything')
    expect(hashInputs(folder, {})).toBe(before)
    expect(hashInputs(folder, { CLIS: 'claude' })).not.toBe(before)
    writeFileSync(join(folder, 'Dockerfile'), 'FROM debian')
    expect(hashInputs(folder, {})).not.toBe(before)
  })
})

describe('the build context', () => {
  it('takes from npm’s settings where packages come from, and nothing else', async () => {
    const settings = join(folder, 'settings')
    const lines = [
      'registry=https://registry.example/',
      '//registry.example/:_authToken=${TOKEN}',
      'init-author-name=me',
    ]
    writeFileSync(settings, lines.join('\n'))
    vi.stubEnv('npm_config_userconfig', settings)
    vi.stubEnv('npm_config_globalconfig', '')
    vi.stubEnv('NPM_CONFIG_REGISTRY', undefined)
    vi.stubEnv('TOKEN', 'secret')
    const written = await withBuildContext(folder, async (context) => readFileSync(join(context, 'npmrc'), 'utf8'))
    expect(written).toBe('registry=https://registry.example/\n//registry.example/:_authToken=secret\n')
  })

  it('leaves the image’s folder alone and is gone afterwards', async () => {
    const used = await withBuildContext(folder, async (context) => context)
    expect(existsSync(used)).toBe(false)
    expect(existsSync(join(folder, 'npmrc'))).toBe(false)
  })
})
