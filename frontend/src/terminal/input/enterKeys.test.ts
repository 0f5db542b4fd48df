import { describe, expect, it } from 'vitest'
import { bytesOfEnter } from './enterKeys.ts'

const NONE = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, isComposing: false }
const enter = { ...NONE, key: 'Enter' }

describe('Enter with a modifier', () => {
  it.each([
    ['Enter', enter, null, null],
    ['Shift+Enter', { ...enter, shiftKey: true }, '\n', '\x1b[13;2u'],
    ['Ctrl+Enter', { ...enter, ctrlKey: true }, '\n', '\n'],
    ['Ctrl+Shift+Enter', { ...enter, ctrlKey: true, shiftKey: true }, '\n', '\n'],
    ['Alt+Enter', { ...enter, altKey: true }, '\x1b\r', '\x1b[13;3u'],
    ['Alt+Shift+Enter', { ...enter, altKey: true, shiftKey: true }, '\x1b\r', '\x1b[13;4u'],
    ['Command+Enter, the browser’s own', { ...enter, metaKey: true }, null, null],
    ['Shift+Enter inside of a composition', { ...enter, shiftKey: true, isComposing: true }, null, null],
    ['another key with Shift', { ...NONE, key: 'a', shiftKey: true }, null, null],
  ])('%s', (_name, key, plain, disambiguated) => {
    expect(bytesOfEnter(key, false)).toBe(plain)
    expect(bytesOfEnter(key, true)).toBe(disambiguated)
  })
})
