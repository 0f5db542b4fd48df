import type { CodingSession, RunEvent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { textReport } from '../output/report.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { inLines } from './pieces.ts'

const said = (text: string): RunEvent => ({ type: 'text', text, seq: 1, at: '2030-01-01T00:00:00.000Z' })
const ENDED = { state: 'completed', costUsd: null } as CodingSession

const shown = (provider: string, policy: string | null = null): string => {
  const out = new LinesOut()
  const report = inLines(textReport(out), { provider, policy })
  for (const piece of ['I re', 'member ', '42.\nAnd', ' more']) report.event(said(piece))
  report.ended(ENDED)
  return out.text
}

it('joins the pieces of an answer, and shows each line when it is complete', () => {
  for (const [provider, policy] of [['copilot'], ['gemini-cli'], ['opencode', 'ask']] as const)
    expect(shown(provider, policy)).toBe('I remember 42.\nAnd more\n✓ completed\n')
})

it('leaves the texts of other CLIs as they are', () => {
  expect(shown('claude-code', 'ask').split('\n')).toHaveLength(7)
})
