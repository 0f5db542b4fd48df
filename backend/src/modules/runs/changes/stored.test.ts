import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { UNKNOWN } from '../../git/diff/parse.ts'
import { readDiff, sweepDiffs, writeDiff } from './stored.ts'

const ID = '0190a6e0-0000-7000-8000-000000000000'
const DIFF = { sessionId: ID, live: false, ...UNKNOWN, changesDetected: false }
const runs = (...ids: readonly string[]) => ({
  endings: () => Promise.resolve(new Map(ids.map((id) => [id, { generation: 1, endedAt: null }]))),
})
let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-diffs-'))))
afterEach(() => rmSync(folder, { recursive: true }))

it('a diff is stored in place of an earlier one, and goes with its run', async () => {
  await writeDiff(folder, { ...DIFF, truncated: true })
  await writeDiff(folder, DIFF)
  writeFileSync(join(folder, 'no-run.changes.json'), '')
  writeFileSync(join(folder, `${ID}.1.ndjson`), '')
  expect(await readDiff(folder, ID)).toEqual(DIFF)
  await sweepDiffs(folder, runs(ID))
  expect(await readDiff(folder, ID)).toEqual(DIFF)
  await sweepDiffs(folder, runs())
  expect(readdirSync(folder)).toEqual([`${ID}.1.ndjson`, 'no-run.changes.json'])
})

it('there is no diff where there is no folder', async () => {
  const missing = join(folder, 'missing')
  expect(await readDiff(missing, ID)).toBeNull()
  await sweepDiffs(missing, runs())
})

it('a file that is no diff is not shown as one', async () => {
  writeFileSync(join(folder, `${ID}.changes.json`), '{}')
  await expect(readDiff(folder, ID)).rejects.toThrow()
})
