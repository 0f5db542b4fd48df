import { FIND_PATHS_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { pathsIn } from './paths.ts'

const shown = (text: string) => pathsIn(text).map(({ path, start, end }) => [path, text.slice(start, end)])

describe('paths in a line', () => {
  it.each([
    ['see /home/developer/a/b.ts for it.', [['/home/developer/a/b.ts', '/home/developer/a/b.ts']]],
    [
      'src/x.ts:12 and src/y.ts:3:4:',
      [
        ['src/x.ts', 'src/x.ts:12'],
        ['src/y.ts', 'src/y.ts:3:4'],
      ],
    ],
    ['● Write(~/notes/today.md)', [['~/notes/today.md', '~/notes/today.md']]],
    ['│ "docs/grün.md" │', [['docs/grün.md', 'docs/grün.md']]],
    [
      'out=./dist/app.js, README.md!',
      [
        ['./dist/app.js', './dist/app.js'],
        ['README.md', 'README.md'],
      ],
    ],
    ['modified:   Makefile.am', [['Makefile.am', 'Makefile.am']]],
    ['https://example.org/a/b.html and 1.2.3 at 10:30', []],
    [
      'https://example.org/?file=/home/developer/x.ts /home/developer/y.ts',
      [['/home/developer/y.ts', '/home/developer/y.ts']],
    ],
    [
      'src/x.ts（注）と「src/y.ts:3」、README.md。',
      [
        ['src/x.ts', 'src/x.ts'],
        ['src/y.ts', 'src/y.ts:3'],
        ['README.md', 'README.md'],
      ],
    ],
    [
      'src/x.ts(12,3): [docs/a.md](app/(group)/[id]/page.tsx)',
      [
        ['src/x.ts', 'src/x.ts'],
        ['docs/a.md', 'docs/a.md'],
        ['app/(group)/[id]/page.tsx', 'app/(group)/[id]/page.tsx'],
      ],
    ],
    ['-- // ... / ~ plain words', []],
  ])('%s', (text, paths) => expect(shown(text)).toEqual(paths))

  it('are no more than can be asked for at once', () => {
    expect(pathsIn('a/b '.repeat(50))).toHaveLength(FIND_PATHS_MAX)
    expect(pathsIn(`/${'x'.repeat(600)}`)).toEqual([])
  })

  it('are found fast in any output', () => {
    // CPU time of this process only, in microseconds, so that other load on the machine hardly counts.
    const LIMIT = 1_000_000
    const find = (): number => {
      const began = process.cpuUsage()
      for (const piece of ['.-', 'a.', 'a:1', '.', '(', 'a(', '[a]', 'a(b).', '（a）', 'https://', 'https://(', '。'])
        pathsIn(`${piece.repeat(100_000 / piece.length)} `)
      return process.cpuUsage(began).user
    }
    // One try may pay for the garbage of other tests. A search that is not linear takes many seconds in each.
    let least = Infinity
    for (let tries = 0; tries < 5 && least >= LIMIT; tries++) least = Math.min(least, find())
    expect(least).toBeLessThan(LIMIT)
  })
})
