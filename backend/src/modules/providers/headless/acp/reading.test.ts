/**
 * What the real CLIs printed over ACP, and what it is read as. `SLIPWAY_WRITE_GOLDEN=1` writes the golden files anew; look at
 * the difference before you commit it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunHappening } from '@slipway/protocol'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { piecesIn } from '../../../../../test/support/headless/pieces.ts'
import { headless as copilot } from '../copilot.ts'
import { headless as gemini } from '../gemini.ts'
import type { Headless, Reading } from '../headless.ts'
import { headless as opencode } from '../opencode.ts'

const FIXTURES = join(import.meta.dirname, '../../../../../test/fixtures/acp')
const CLIS: readonly [string, Headless][] = [
  ['copilot', copilot],
  ['gemini', gemini],
  ['opencode', opencode],
]
const NOW = Date.parse('2026-11-25T12:00:00Z')

const linesOf = (cli: string, name: string): string[] =>
  readFileSync(join(FIXTURES, cli, name), 'utf8')
    .split('\n')
    .slice(0, -1)

/** The session in which the lines are: the one that they name. */
const sessionIn = (lines: readonly string[]): string => /"sessionId":"([^"]+)"/.exec(lines.join('\n'))?.[1] ?? 'none'

const newReading = ({ people }: Headless, name: string, lines: readonly string[]): Reading => {
  const resume = name.startsWith('load') || name.startsWith('not-found') ? sessionIn(lines) : null
  const read = people?.output?.read
  if (!read) throw new Error('it cannot ask people')
  return read({ sessionId: 'ours', resume, folder: '/home/developer', prompt: 'Do it' })
}

/** Reads a line as a run does: what waits is sent after it. */
const next = (reading: Reading, line: string): readonly RunHappening[] => {
  send(reading)
  return reading.line(line, NOW)
}

const send = (reading: Reading): void => {
  for (const { id, once } of reading.messages?.() ?? []) if (once) reading.sent?.(id)
}

const stateOf = (reading: Reading) => ({
  verdict: reading.verdict(),
  asks: reading.asks?.(),
  messages: reading.messages?.(),
  interruption: reading.interruption?.(),
})

describe.each(CLIS)('the ACP driver of %s', (cli, headless) => {
  const names = readdirSync(join(FIXTURES, cli)).filter((name) => name.endsWith('.jsonl'))

  it.each(names)('reads %s', (name) => {
    const lines = linesOf(cli, name)
    const reading = newReading(headless, name, lines)
    const steps = lines.map((line) => {
      const happenings = next(reading, line)
      for (const one of happenings) expect(Value.Errors(RunHappening, one)).toEqual([])
      return { happenings, asks: reading.asks?.().map(({ question }) => question) }
    })
    const happenings = steps.flatMap((step) => step.happenings)
    const asked = steps.filter((step, at) => (step.asks?.length ?? 0) > (steps[at - 1]?.asks?.length ?? 0))
    const golden = join(FIXTURES, cli, name.replace(/\.jsonl$/, '.golden.json'))
    const questions = asked.map((step) => step.asks?.at(-1))
    const read = `${JSON.stringify({ happenings, questions, verdict: reading.verdict() }, null, 2)}\n`
    if (process.env.SLIPWAY_WRITE_GOLDEN === '1') writeFileSync(golden, read)
    expect(JSON.parse(read)).toEqual(JSON.parse(readFileSync(golden, 'utf8')))
    expect(headless.people?.output?.inPieces).toEqual(expect.arrayContaining(piecesIn(happenings)))
    expect(reading.messages?.()).toEqual([])
  })

  it.each(names)('has the same state after a restart at any line of %s', (name) => {
    const lines = linesOf(cli, name)
    const reading = newReading(headless, name, lines)
    for (const [at, line] of lines.entries()) {
      next(reading, line)
      const other = newReading(headless, name, lines)
      for (const earlier of lines.slice(0, at + 1)) next(other, earlier)
      expect(stateOf(other)).toEqual(stateOf(reading))
    }
  })

  it.each(names)('reads %s cut anywhere, with lines of another program between', (name) => {
    const lines = linesOf(cli, name)
    for (const line of lines) {
      const reading = newReading(headless, name, lines)
      for (let end = 0; end < line.length; end += Math.max(1, Math.floor(line.length / 40)))
        for (const one of next(reading, line.slice(0, end))) expect(Value.Check(RunHappening, one)).toBe(true)
      for (const foreign of [
        '',
        '{}',
        '[]',
        'null',
        '{"method":7}',
        '{"id":{}}',
        '{"method":"x","id":1}',
        'warning: x',
      ])
        for (const one of next(reading, foreign)) expect(Value.Check(RunHappening, one)).toBe(true)
    }
  })
})
