/** A data folder as after a first start, without the seconds that making a database takes. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

/** Puts an empty database into a data folder that has none. */
export const placeEmptyDatabase = (dataDir: string): string => {
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { mode: 0o700 })
  execFileSync('tar', ['-xf', inject('emptyDatabase'), '-C', folder], { stdio: 'ignore' })
  return dataDir
}

/** One of a test's own, which removes it. */
export const newDataDir = (): string => placeEmptyDatabase(mkdtempSync(join(tmpdir(), 'slipway-test-data-')))
