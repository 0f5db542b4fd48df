import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../paths.mjs'
import { fileCosts, tellCosts } from './costs.mjs'

describe('what a run cost', () => {
  it('is a table of the suites, and of the longest files', () => {
    const suites = [
      { title: 'lint', wallMs: 9_000, cpuMs: 12_000 },
      { title: 'end-to-end tests (browser)', wallMs: 610_000, cpuMs: 0 },
    ]
    const files = [
      { path: 'a.test.ts', wallMs: 1_000 },
      { path: 'b.test.ts', wallMs: 70_000 },
    ]
    expect(tellCosts(suites, files).split('\n')).toEqual([
      '',
      '       wall   CPU  suite (CPU without containers)',
      '10 min 10 s        end-to-end tests (browser)',
      '      9.0 s  12 s  lint',
      '',
      '      wall  longest files',
      '1 min 10 s  b.test.ts',
      '     1.0 s  a.test.ts',
      '',
      '',
    ])
  })

  it('tells ten files', () => {
    const files = Array.from({ length: 12 }, (_, at) => ({ path: `${at}.test.ts`, wallMs: at }))
    const told = tellCosts([{ title: 'lint', wallMs: 1, cpuMs: 1 }], files)
    expect(told.match(/\d+\.test\.ts/g)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((at) => `${at}.test.ts`))
  })

  it('is read from the report of Vitest, where there is one', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'costs-')), 'report.json')
    expect(fileCosts(file)).toEqual([])
    writeFileSync(
      file,
      JSON.stringify({ testResults: [{ name: inRoot('e2e/a.test.ts'), startTime: 500, endTime: 2_750 }] }),
    )
    expect(fileCosts(file)).toEqual([{ path: 'e2e/a.test.ts', wallMs: 2_250 }])
  })
})
