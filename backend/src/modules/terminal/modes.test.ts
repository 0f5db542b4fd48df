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
