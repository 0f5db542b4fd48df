import type { CodingSession, RunEvent, TextEvent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { inLines } from './pieces.ts'
import { textReport } from './report.ts'

const said = (text: string): RunEvent => ({ type: 'text', text, seq: 1, at: '2030-01-01T00:00:00.000Z' })
const ENDED = { state: 'completed', costUsd: null } as CodingSession

const shown = (inPieces: TextEvent[] | undefined): string => {
  const out = new LinesOut()
  const report = inLines(textReport(out), inPieces === undefined ? {} : { inPieces })
  for (const piece of ['I re', 'member ', '42.\nAnd', ' more']) report.event(said(piece))
  report.ended(ENDED)
  return out.text
}

it('joins the pieces of an answer, and shows each line when it is complete', () => {
  expect(shown(['text'])).toBe('I remember 42.\nAnd more\n✓ completed\n')
})

it('leaves whole texts as they are, and all texts of a server that does not say how they come', () => {
  for (const inPieces of [[], ['thinking'] as TextEvent[], undefined])
    expect(shown(inPieces).split('\n')).toHaveLength(7)
})
