import type { LogEntry } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { BLOCK_LINES, LOG_LINES, LogBuffer } from './logBuffer.ts'

const entry = (index: number): LogEntry => ({
  at: `2030-01-01T00:00:00.${String(index).padStart(9, '0')}Z`,
  source: 'stdout',
  text: `line ${index}`,
})
const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => entry(from + index))

test('the newest lines are kept, in blocks that stay the same where nothing was added', () => {
  const buffer = new LogBuffer()
  buffer.add(entries(0, BLOCK_LINES + 5))
  const [first, second] = buffer.blocks
  buffer.add([entry(BLOCK_LINES + 5)])
  expect(buffer.blocks[0]).toBe(first)
  expect(buffer.blocks[1]).not.toBe(second)
  expect(buffer.lines.map(({ number }) => number)).toEqual(Array.from({ length: BLOCK_LINES + 6 }, (_, at) => at))
  buffer.add(entries(BLOCK_LINES + 6, LOG_LINES * 2))
  expect(buffer.lines.length).toBeLessThanOrEqual(LOG_LINES)
  expect(buffer.lines.length).toBeGreaterThan(LOG_LINES - BLOCK_LINES)
  expect(buffer.lines.at(-1)?.plain).toBe(`line ${LOG_LINES * 2 - 1}`)
  expect(buffer.total).toBe(LOG_LINES * 2)
})

test('what comes a second time is known', () => {
  const buffer = new LogBuffer()
  buffer.add(entries(0, 10))
  expect(buffer.unknown(entries(5, 12)).map(({ text }) => text)).toEqual(['line 10', 'line 11'])
  expect(buffer.newest).toBe(entry(9).at)
})
