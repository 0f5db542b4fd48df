import { FIND_PATHS_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { pathsIn } from './filePaths.ts'

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
    ['-- // ... / ~ plain words', []],
  ])('%s', (text, paths) => expect(shown(text)).toEqual(paths))

  it('are no more than can be asked for at once', () => {
    expect(pathsIn('a/b '.repeat(50))).toHaveLength(FIND_PATHS_MAX)
    expect(pathsIn(`/${'x'.repeat(600)}`)).toEqual([])
  })

  it('are found fast in whatever is printed', () => {
    const began = performance.now()
    pathsIn('.-'.repeat(50_000))
    pathsIn(`${'a.'.repeat(50_000)} `)
    pathsIn('a:1'.repeat(30_000))
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})
