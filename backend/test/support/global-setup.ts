/** Makes an empty database once and keeps it in a file: starting from it takes half a second, making one takes five. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'

const ROOT = join(import.meta.dirname, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache/slipway')

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of an empty database. */
    emptyDatabase: string
  }
}

interface Manifest {
  dependencies: Record<string, string>
}

export async function setup(project: TestProject): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'backend/package.json'), 'utf8')) as Manifest
  const file = join(CACHE, `empty-database-${manifest.dependencies['@electric-sql/pglite']}.tar`)
  if (!existsSync(file)) await makeEmptyDatabase(file)
  project.provide('emptyDatabase', file)
}

async function makeEmptyDatabase(file: string): Promise<void> {
  const db = await PGlite.create('memory://')
  const dump = await db.dumpDataDir('none')
  await db.close()
  mkdirSync(CACHE, { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
  renameSync(draft, file)
}
