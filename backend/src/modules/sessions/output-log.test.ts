import { describe, expect, it } from 'vitest'
import { OutputLog } from './output-log.ts'

const bytes = (from: number, length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (from + at) % 251)

describe('the log of a session', () => {
  it('gives back everything from any offset it still has', () => {
    const log = new OutputLog()
    for (let at = 0; at < 200_000; at += 777) log.append(bytes(at, 777))
    const whole = log.since(0)
    expect(whole).toEqual(bytes(0, log.end))
    for (const offset of [1, 2047, 2048, 70_000, log.end - 1, log.end])
      expect(log.since(offset)).toEqual(bytes(offset, log.end - offset))
  })

  it('keeps at least its bound, drops the oldest beyond it, and says so', () => {
    const log = new OutputLog(100_000)
    for (let at = 0; at < 1_000_000; at += 10_000) log.append(bytes(at, 10_000))
    const kept = log.end - log.start
    expect(log.end).toBe(1_000_000)
    expect(kept).toBeGreaterThanOrEqual(100_000)
    expect(kept).toBeLessThan(100_000 + 2 * 65_536)
    expect(log.since(log.start - 1)).toBeNull()
    expect(log.since(log.start)).toEqual(bytes(log.start, kept))
  })

  it('knows nothing of the future', () => {
    const log = new OutputLog()
    log.append(bytes(0, 10))
    expect(log.since(11)).toBeNull()
  })

  it('takes a chunk larger than itself', () => {
    const log = new OutputLog(1000)
    log.append(bytes(0, 500_000))
    expect(log.end).toBe(500_000)
    expect(log.since(log.start)).toEqual(bytes(log.start, log.end - log.start))
  })

  it('leaves alone what it gave out, although it fills its blocks again', () => {
    const log = new OutputLog(100_000)
    log.append(bytes(0, 100_000))
    const given = log.since(0)
    for (let at = 100_000; at < 1_000_000; at += 10_000) log.append(bytes(at, 10_000))
    expect(given).toEqual(bytes(0, 100_000))
    expect(log.since(log.start)).toEqual(bytes(log.start, log.end - log.start))
  })
})
