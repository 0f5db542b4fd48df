import { describe, expect, it } from 'vitest'
import { command, wholeNumber } from './command.ts'
import { complete, type LookUp } from './complete.ts'
import type { Context } from './context.ts'
import { helpOf } from './help.ts'

const given: unknown[] = []
const example = command({
  name: 'example',
  about: 'Do something',
  positionals: [
    { name: 'AGENT', kind: 'agent' },
    { name: 'TEXT', kind: 'text', optional: true },
  ],
  options: {
    mode: { type: 'string', short: 'm', value: 'NAME', about: 'Which one', values: ['one', 'two'] },
    value: { type: 'string', multiple: true, about: 'Several' },
    json: { type: 'boolean', about: 'As JSON' },
  },
  run: async (all) => {
    given.push(all)
    return 0
  },
})
/** The command does not use it. */
const NOTHING = {} as Context

const refusal = (argv: string[]): Promise<unknown> =>
  example.run(argv, NOTHING).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : error),
  )

describe('arguments', () => {
  it('are options in any place, and what comes after dashes is none', async () => {
    await example.run(['--json', 'atlas', '-m', 'two', '--value', 'a', '--value=b', '--', '--mode'], NOTHING)
    expect(given.pop()).toEqual({
      arguments: ['atlas', '--mode'],
      options: { json: true, mode: 'two', value: ['a', 'b'] },
    })
  })

  it.each([
    [['--mode', 'three', 'atlas'], '--mode takes one, two; three is none of them.'],
    [[], 'AGENT is missing. See "slipway example --help"'],
    [['a', 'b', 'c'], 'c is too much. See "slipway example --help"'],
    [['a', '--mode'], expect.stringContaining('argument missing')],
    [['a', '--nothing'], expect.stringContaining("Unknown option '--nothing'")],
  ])('%j are refused', async (argv, message) => {
    expect(await refusal(argv)).toEqual(message)
  })

  it('are whole numbers where they have to be', () => {
    expect([wholeNumber('tail', undefined), wholeNumber('tail', '12')]).toEqual([undefined, 12])
    for (const text of ['', '-1', '1.5', '1e3', 'x']) expect(() => wholeNumber('tail', text)).toThrow('--tail takes')
  })
})

it('the help has every argument and every option', () => {
  const help = helpOf(example)
  for (const part of ['example [options] AGENT [TEXT]', '-m, --mode NAME', 'Which one (one, two)', '--json'])
    expect(help).toContain(part)
})

describe('completion', () => {
  const lookUp: LookUp = async (kind) => [`${kind}-1`, `${kind}-2`]
  const offered = (...words: string[]): Promise<string[]> => complete(words, [example], lookUp)

  it('offers commands first', async () => {
    expect(await offered()).toEqual(['example', '--help', '--version'])
    expect(await offered('ex')).toEqual(['example'])
    expect(await offered('--v')).toEqual(['--version'])
  })

  it('offers options, their values, and names that the server knows', async () => {
    expect(await offered('example', '--')).toEqual(['--mode', '--value', '--json', '--help'])
    for (const option of ['--mode', '-m']) expect(await offered('example', option, 't')).toEqual(['two'])
    expect(await offered('example', '-m', 'two', '')).toEqual(['agent-1', 'agent-2'])
    expect(await offered('example', '--json', 'agent-2')).toEqual(['agent-2'])
  })

  it('offers nothing for a text, for another program, and for a command that there is not', async () => {
    for (const words of [
      ['example', 'a', ''],
      ['example', 'a', '--', ''],
      ['nothing', ''],
      ['example', '--value', ''],
    ])
      expect(await offered(...words)).toEqual([])
  })
})
