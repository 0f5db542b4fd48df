import { describe, expect, it } from 'vitest'
import { bytesOfTouchKey, TOUCH_KEYS, withCtrl } from './touchKeys.ts'

const key = (name: string) => TOUCH_KEYS.find((each) => each.name === name)!

describe('a key of the bar', () => {
  it.each([
    ['Esc', '\x1b', '\x1b', '\x1b'],
    ['Tab', '\t', '\t', '\t'],
    ['Shift and Tab', '\x1b[Z', '\x1b[Z', '\x1b[Z'],
    ['Control and C', '\x03', '\x03', '\x03'],
    ['Up', '\x1b[A', '\x1bOA', '\x1b[1;5A'],
    ['Left', '\x1b[D', '\x1bOD', '\x1b[1;5D'],
  ])('%s', (name, plain, application, ctrl) => {
    expect(bytesOfTouchKey(key(name), false, false)).toBe(plain)
    expect(bytesOfTouchKey(key(name), false, true)).toBe(application)
    expect(bytesOfTouchKey(key(name), true, true)).toBe(ctrl)
  })
})

describe('Ctrl with the next character', () => {
  it.each([
    ['c', '\x03'],
    ['R', '\x12'],
    [' ', '\0'],
    ['[', '\x1b'],
    ['_', '\x1f'],
    ['?', '\x7f'],
    ['1', null],
    ['ü', null],
    ['ab', null],
    ['\x1b[?1;2c', null],
    ['\r', null],
  ])('%j', (typed, bytes) => expect(withCtrl(typed)).toBe(bytes))
})
