import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ReceivedOutput } from './received.ts'

const FROM = { offset: 0, replay: 0, isScreenMissing: false }

const setUp = (from = FROM) => {
  const drawn: string[] = []
  const waiting: (() => void)[] = []
  const acks: number[] = []
  let restored = 0
  const output = new ReceivedOutput(
    {
      draw: (bytes, done) => {
        drawn.push(bytes.toString())
        waiting.push(done)
      },
      acknowledge: (offset) => acks.push(offset),
      onRestored: () => restored++,
    },
    from,
  )
  return {
    ...{ output, drawn, acks, restored: () => restored },
    receive: (text: string) => output.receive(Buffer.from(text)),
    /** The terminal has everything so far. */
    draw: () => waiting.splice(0).forEach((done) => done()),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('acknowledges what the terminal has, soon, and much at once', () => {
  const { output, receive, draw, acks } = setUp({ ...FROM, offset: 10 })
  receive('abc')
  vi.runAllTimers()
  expect([output.offset, acks]).toEqual([13, []])
  draw()
  vi.runAllTimers()
  expect(acks).toEqual([13])
  receive('x'.repeat(65_536))
  draw()
  expect(acks).toEqual([13, 65_549])
})

it('counts a screen for nothing, and is live once screen and replay are drawn', () => {
  const { output, receive, draw, drawn, restored } = setUp({ ...FROM, offset: 5, isScreenMissing: true })
  expect([output.isLive, output.offset]).toEqual([false, undefined])
  output.snapshot({ bytes: 6, offset: 100, replay: 3 })
  receive('scr')
  expect(output.offset).toBeUndefined()
  receive('eenpast')
  expect([output.offset, output.isLive, restored()]).toEqual([104, false, 0])
  draw()
  expect([output.isLive, restored(), drawn]).toEqual([true, 1, ['scr', 'een', 'past']])
})

it('takes nothing that was drawn before a new screen for a part of it', () => {
  const { output, receive, draw } = setUp()
  receive('old output')
  output.snapshot({ bytes: 4, offset: 1000, replay: 0 })
  draw()
  expect(output.isLive).toBe(false)
  receive('here')
  draw()
  expect([output.isLive, output.offset]).toEqual([true, 1000])
})

it('is live at once with an empty screen, and acknowledges nothing after its end', () => {
  const { output, receive, draw, acks, restored } = setUp()
  output.snapshot({ bytes: 0, offset: 7, replay: 0 })
  expect([output.isLive, restored()]).toEqual([true, 1])
  receive('x')
  draw()
  output.stop()
  vi.runAllTimers()
  expect(acks).toEqual([])
})
