import type { RunEvent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { Output } from '../output/output.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { openSurface } from './surface.ts'

const shown = (isJson: boolean): string => {
  const [stdout, stderr] = [new LinesOut(), new LinesOut()]
  const settings = { ui: undefined, uiTimeoutMs: undefined, isJson, hasDiff: false }
  const context = { stdin: process.stdin, out: new Output(stdout, stderr) }
  const { report } = openSurface(settings, context, { inPieces: ['text'] })
  for (const [at, text] of ['All ', 'done.\n'].entries())
    report.event({ type: 'text', text, seq: at + 1, at: '2030-01-01T00:00:00.000Z' } satisfies RunEvent)
  return stdout.text
}

it('shows people whole lines of an answer that comes in pieces', () => {
  expect(shown(false)).toBe('All done.\n')
})

it('gives scripts every event as it came', () => {
  expect(shown(true).split('\n')).toHaveLength(3)
})
