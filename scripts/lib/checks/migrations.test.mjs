// The output of `npm run migration:new` for the real migrations.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capture } from '../commands.mjs'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'

/** Time to load a schema engine and replay every migration on two busy cores, in milliseconds. */
const TIMEOUT_MS = 300_000

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-migrations-'))
  cpSync(inRoot('prisma', 'migrations'), folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const difference = () => {
  const paths = ['--from-migrations', folder, '--to-schema', inRoot('prisma', 'schema.prisma')]
  return capture([projectNode(), dependencyBin('prisma'), 'migrate', 'diff', ...paths, '--script'])
}

describe('the difference between the migrations and the schema', { timeout: TIMEOUT_MS }, () => {
  it('is none, although a migration has functions with semicolons in their bodies', async () => {
    const { code, stdout, output } = await difference()
    expect(code, output).toBe(0)
    expect(stdout.trim()).toBe('-- This is an empty migration.')
  })

  it('is not looked for when a migration fails, and its error is told', async () => {
    // Without the others, because each run replays all of them.
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
      rmSync(join(folder, name), { recursive: true })
    mkdirSync(join(folder, '99990101000000_broken'))
    writeFileSync(join(folder, '99990101000000_broken', 'migration.sql'), 'SELECT 1; SELEKT 2;')
    const { code, output } = await difference()
    expect(code).toBe(1)
    expect(output).toContain('syntax error at or near "SELEKT"')
  })
})
