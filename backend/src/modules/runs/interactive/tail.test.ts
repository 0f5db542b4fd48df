import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { LiveRun } from '../conduct/follow.ts'
import { Masking } from '../output/masking.ts'
import type { Entry } from '../transcript/entry.ts'
import { TerminalTail } from './tail.ts'

const SECRET = 'a-secret-of-the-tests'

/** A tail of a terminal that has printed `printed` already, of which the run has the output up to `from`. */
const begin = ({ printed = '', from = 0, refuses = false } = {}) => {
  const stored: Entry[] = []
  const failures: unknown[] = []
  const live = new LiveRun('run')
  const bytes = Buffer.from(printed)
  const tail = new TerminalTail({
    terminal: {
      start: 0,
      offset: bytes.length,
      read: (offset) => bytes.subarray(offset),
      follow: () => undefined,
      consumed: () => undefined,
    },
    from,
    live,
    masking: new Masking([SECRET]),
    clock: { now: () => 1000 },
    store: (entry) => {
      if (refuses) return Promise.reject(new Error('the disk is full'))
      stored.push(entry)
      return Promise.resolve()
    },
    onFailure: (error) => failures.push(error),
  })
  return { tail, live, stored, failures }
}

describe('the end of a terminal’s output', () => {
  it('has each character once, also if chunks and servers divide it', async () => {
    const euro = Buffer.from('1 €')
    const { tail, live, stored } = begin({ printed: 'old 1', from: 4 })
    // Its first byte is known.
    tail.output(euro.subarray(0, 3), 4)
    tail.output(euro.subarray(3), 7)
    await tail.finish()
    expect(live.output).toBe('1 €')
    expect(stored.at(-1)).toMatchObject({ raw: '1 €', isPart: true, offsets: { stdout: 4 + euro.length } })
    expect(tail.keptTo).toBe(4 + euro.length)
  })

  it('has no secret, also if it comes in pieces, and shows its beginning only when no more comes', async () => {
    const { tail, live } = begin()
    tail.output(Buffer.from(`one ${SECRET.slice(0, 9)}`), 0)
    await until('the output to be handed on', () => live.output !== '')
    expect(live.output).toBe('one ')
    tail.output(Buffer.from(`${SECRET.slice(9)} two ${SECRET.slice(0, 3)}`), 13)
    await tail.finish()
    expect(live.output).toBe(`one *** two ${SECRET.slice(0, 3)}`)
  })

  it('leaves to the next server what was not handed on', async () => {
    const { tail, stored } = begin()
    tail.output(Buffer.from(`one ${SECRET.slice(0, 9)}`), 0)
    await tail.leave()
    tail.output(Buffer.from('more'), 13)
    expect(stored.at(-1)).toMatchObject({ raw: 'one ', offsets: { stdout: 4 } })
    expect(tail.keptTo).toBe(4)
  })

  it('does not hold the program up if the disk refuses', async () => {
    const { tail, live, failures } = begin({ refuses: true })
    tail.output(Buffer.from('more'), 0)
    await tail.finish()
    expect([live.output, tail.keptTo, failures.length]).toEqual(['more', 4, 1])
  })
})
