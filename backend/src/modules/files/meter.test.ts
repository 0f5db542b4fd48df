import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { Meter } from './meter.ts'

const complete = (): Promise<void> => Promise.resolve()
const through = (meter: Meter, ...chunks: string[]): Promise<string> => {
  for (const chunk of chunks) meter.write(chunk)
  meter.end()
  return text(meter)
}

describe('the meter of a transfer', () => {
  it('lets exactly the announced bytes through', async () => {
    expect(await through(new Meter({ size: 4, complete }), 'ab', 'cd')).toBe('abcd')
    expect(await through(new Meter({ size: 0, complete }))).toBe('')
  })

  it.each([['a'], ['ab', 'cde']])('fails on another number of bytes than announced', async (...chunks) => {
    await expect(through(new Meter({ size: 4, complete }), ...chunks)).rejects.toThrow(/announced/)
  })

  it('fails when the program behind it failed after its last byte', async () => {
    const failing = new Meter({ size: null, complete: () => Promise.reject(new Error('the archive broke off')) })
    await expect(through(failing, 'ab')).rejects.toThrow('broke off')
  })

  it('gives up what does not move', async () => {
    const meter = new Meter({ size: null, complete, idleMs: 50 })
    await expect(text(new PassThrough().pipe(meter))).rejects.toThrow('nothing moved')
  })
})
