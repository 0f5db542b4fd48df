import { describe, expect, it } from 'vitest'
import { BadQueryError, readQuery } from './modes.ts'

describe('the folder of a new terminal', () => {
  it('is the home without one, and otherwise a folder in the home', () => {
    expect(readQuery({}).folder).toBeNull()
    for (const folder of ['/home/developer', '/home/developer/.slipway/worktrees/app-1'])
      expect(readQuery({ mode: 'bash', folder })).toMatchObject({ mode: 'bash', folder })
  })

  it.each([
    '/home/developer/../other',
    '/home/developer2',
    '/etc',
    'app',
    '',
    '/home/developer/a\0b',
    `/home/developer/${'a'.repeat(4096)}`,
    ['/home/developer', '/home/developer'],
  ])('is never %j', (folder) => {
    expect(() => readQuery({ folder })).toThrow(BadQueryError)
  })
})

describe('the tab of a terminal', () => {
  it('is none without a name', () => {
    expect(readQuery({}).tab).toBeNull()
    for (const tab of ['a', '2', 'Shell-2', 'task-01234567', 'a.b_c', 'a'.repeat(32)])
      expect(readQuery({ tab })).toMatchObject({ tab })
  })

  it.each(['', '-a', '.', 'a b', 'a:b', 'a/b', 'ü', 'a\0', 'a\n', '\u202ea', 'a'.repeat(33), ['a', 'b'], {}])(
    'is never %j',
    (tab) => {
      expect(() => readQuery({ tab })).toThrow(BadQueryError)
    },
  )
})
