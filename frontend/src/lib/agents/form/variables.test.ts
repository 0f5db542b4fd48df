import { VARIABLE_VALUE_MAX, type AgentVariable } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { namesByOthers, variableNameProblem, variableValueHint, variableValueProblem } from './variables.ts'

describe('the name of a variable', () => {
  it.each(['TZ', '_x', 'x1', 'a'.repeat(128), 'HOMEPAGE', 'PATHS', '__', 'SLIPWAY', 'tz'])('can be %s', (name) =>
    expect(variableNameProblem(name, ['OTHER', 'TZ_2'])).toBeNull(),
  )
  it.each(['1X', 'A-B', 'A B', ' A', 'A ', 'A=B', 'Ä', 'A.B', 'A\n', '1'.repeat(200)])(
    'has no such characters: %j',
    (name) => expect(variableNameProblem(name, [])).toMatch(/^Use letters/),
  )
  it.each(['HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'SHLVL', '_', 'SLIPWAY_', 'SLIPWAY_SESSION'])(
    'cannot be %s, which the platform sets',
    (name) => expect(variableNameProblem(name, [])).toBe(`The platform sets ${name}. Use another name.`),
  )
  it('cannot be PATH, and the problem says where PATH is set', () =>
    expect(variableNameProblem('PATH', [])).toContain('~/.profile'))
  it('cannot be empty', () => expect(variableNameProblem('', [])).toBe('Enter a name.'))
  it('cannot be too long', () => expect(variableNameProblem('a'.repeat(129), [])).toBe('Use at most 128 characters.'))
  it('cannot be one that is set', () => expect(variableNameProblem('TZ', ['KEY', 'TZ'])).toMatch(/^TZ is already set/))
})

describe('the value of a variable', () => {
  it.each(['', 'Europe/Berlin', 'a\nb\r\nc\t', '$(id)', 'x'.repeat(VARIABLE_VALUE_MAX)])('can be any text', (value) =>
    expect(variableValueProblem(value, false)).toBeNull(),
  )
  it('can be empty if it is plain, and not if it is secret', () => {
    expect(variableValueProblem('', true)).toBe('Enter a value.')
    expect(variableValueProblem(' ', true)).toBeNull()
  })
  it('cannot hold NUL', () => expect(variableValueProblem('a\0b', false)).toBe('Remove the NUL character.'))
  it('cannot be too long, and the problem says how long it is', () =>
    expect(variableValueProblem('x'.repeat(VARIABLE_VALUE_MAX + 1), true)).toBe(
      'Use at most 16,384 characters. This value has 16,385.',
    ))
  it.each([
    ['token\n', 'ends'],
    ['token ', 'ends'],
    ['\ttoken', 'starts'],
    [' token\r\n', 'starts and ends'],
    [' ', 'starts and ends'],
  ])('with space around it comes with a hint: %j', (value, where) =>
    expect(variableValueHint(value)).toBe(`The value ${where} with a space or a line break, which is kept.`),
  )
  it.each(['', 'token', 'two words', 'a\nb'])('without space around it comes without a hint: %j', (value) =>
    expect(variableValueHint(value)).toBeNull(),
  )
})

describe('variables of other users than the owner', () => {
  const by = (name: string, setBy: string | null): AgentVariable => ({
    name,
    setBy,
    secret: false,
    value: '',
    readable: true,
    setAt: '2026-01-01T00:00:00.000Z',
  })
  const variables = [by('A', 'owner@example.org'), by('B', 'admin@example.org'), by('C', null)]

  it('are named, and so are those of accounts that are gone', () =>
    expect(namesByOthers({ owner: { id: '1', email: 'owner@example.org' } }, variables)).toEqual(['B', 'C']))
  it('are none of the system agent, which has no owner', () =>
    expect(namesByOthers({ owner: null }, variables)).toEqual([]))
})
