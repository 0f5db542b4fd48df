/**
 * What the real CLIs printed, and what it is read as. Only Cursor's transcript is written down from its documentation. `SLIPWAY_WRITE_GOLDEN=1` writes the golden files anew; look at the
 * difference before you commit it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunHappening } from '@slipway/protocol'
import Value from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { piecesIn } from '../../../../test/support/headless/pieces.ts'
import { headless as claude } from './claude.ts'
import { headless as codex } from './codex.ts'
import { headless as copilot } from './copilot.ts'
import { headless as cursor } from './cursor.ts'
import { headless as gemini } from './gemini.ts'
import { outputOf } from '../task-provider.ts'
import type { HeadlessOutput } from './headless.ts'
import { headless as opencode } from './opencode.ts'

const TRANSCRIPTS = join(import.meta.dirname, '../../../../test/fixtures/transcripts')
const DRIVERS: ReadonlyMap<string, HeadlessOutput> = new Map(
  Object.entries<HeadlessOutput>({
    claude,
    codex,
    'codex-app-server': outputOf(codex, true),
    copilot,
    cursor,
    gemini,
    opencode,
  }),
)
/** The time at which every line is read, in milliseconds since 1970. */
const NOW = Date.parse('2026-11-25T12:00:00Z')
const OPTIONS = { sessionId: '0190a6e0-0000-7000-8000-000000000000', resume: null, folder: '/workspace' }

describe.each([...DRIVERS])('the driver of %s', (cli, headless) => {
  const folder = join(TRANSCRIPTS, cli)
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

  it('has a transcript', () => expect(names.length).toBeGreaterThan(0))

  it.each(names)('reads %s', (name) => {
    const reading = headless.read(OPTIONS)
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)
    const happenings = lines.flatMap((line) => reading.line(line, NOW))
    for (const one of happenings) expect(Value.Errors(RunHappening, one)).toEqual([])
    const golden = join(folder, name.replace(/\.jsonl$/, '.golden.json'))
    const read = `${JSON.stringify({ happenings, verdict: reading.verdict() }, null, 2)}\n`
    if (process.env.SLIPWAY_WRITE_GOLDEN === '1') writeFileSync(golden, read)
    expect(JSON.parse(read)).toEqual(JSON.parse(readFileSync(golden, 'utf8')))
    // After an answer that broke off, Claude writes another one.
    const inPieces = name === 'cut.jsonl' ? [] : piecesIn(happenings)
    expect(headless.inPieces ?? []).toEqual(expect.arrayContaining(inPieces))
  })

  it.each(names)('reads %s cut anywhere, with lines of another program between', (name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)
    for (const line of lines) {
      const reading = headless.read(OPTIONS)
      for (let end = 0; end < line.length; end += Math.max(1, Math.floor(line.length / 40)))
        for (const one of reading.line(line.slice(0, end), NOW)) expect(Value.Check(RunHappening, one)).toBe(true)
      for (const foreign of ['', '{}', '[]', 'null', '{"type":7}', '{"type":"constructor"}', 'warning: x'])
        for (const one of reading.line(foreign, NOW)) expect(Value.Check(RunHappening, one)).toBe(true)
    }
  })
})
