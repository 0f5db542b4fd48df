import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  dataFrame,
  endFrame,
  FrameError,
  RECEIVED_WINDOW_BYTES,
  roomFrame,
  WINDOW_BYTES,
} from '../../runtime/carried/frames.ts'
import { newRelayPace } from './pace.ts'
import { RelayStreams, STREAMS_MAX } from './streams.ts'

const openFrame = (stream: number): Buffer => {
  const header = endFrame(stream)
  header.write('o', 'latin1')
  return header
}

/** What a relay of a hostile container may send. */
const scene = () => {
  const connected: Duplex[] = []
  const sent: Buffer[] = []
  const streams = new RelayStreams(
    {
      send: (bytes) => sent.push(Buffer.from(bytes)) > 0,
      connected: (stream) => connected.push(stream),
      ready: () => undefined,
    },
    newRelayPace(),
  )
  return { connected, sent, streams, push: (...frames: Buffer[]) => frames.forEach((frame) => streams.push(frame)) }
}

describe('a relay is refused', () => {
  const payload = Buffer.alloc(16_384)

  it.each<[string, readonly Buffer[]]>([
    ['that sends a frame of an unknown type', [Buffer.from('?123456')]],
    ['that sends a frame that is too long', [Buffer.from([100, 0, 0, 0, 1, 0x40, 0x01])]],
    ['that sends data of a stream that was not opened', [dataFrame(1, Buffer.from('x'))]],
    ['that opens a number twice', [openFrame(1), openFrame(1)]],
    ['that opens the number 0', [openFrame(0)]],
    ['that gives more room than a window', [openFrame(1), roomFrame(1, 1)]],
    ['that has too many streams', Array.from({ length: STREAMS_MAX + 1 }, (_, n) => openFrame(n + 1))],
    [
      'that sends more than there is room for',
      [openFrame(1), ...Array<Buffer>((3 * RECEIVED_WINDOW_BYTES) / payload.length).fill(dataFrame(1, payload))],
    ],
  ])('%s', (_what, frames) => {
    expect(() => scene().push(...frames)).toThrow(FrameError)
  })
})

describe('the streams of a relay', () => {
  it('take frames in any pieces', () => {
    const { connected, streams } = scene()
    for (const byte of Buffer.concat([openFrame(1), dataFrame(1, Buffer.from('hello')), openFrame(2)]))
      streams.push(Buffer.of(byte))
    expect(connected).toHaveLength(2)
    expect(String(connected[0]?.read())).toBe('hello')
  })

  it('send no more than a window before the relay has consumed it', () => {
    const { connected, sent, push } = scene()
    push(openFrame(1))
    connected[0]?.write(Buffer.alloc(3 * WINDOW_BYTES))
    const bytes = (): number => sent.reduce((sum, frame) => sum + frame.length - 7, 0)
    expect(bytes()).toBe(WINDOW_BYTES)
    push(roomFrame(1, 1000))
    expect(bytes()).toBe(WINDOW_BYTES + 1000)
  })

  it('tell the relay what was consumed, not each piece of it', async () => {
    const { connected, sent, push } = scene()
    push(openFrame(1))
    connected[0]?.resume()
    for (let piece = 0; piece < 8; piece += 1) {
      push(dataFrame(1, Buffer.alloc(10_000)))
      await setImmediate()
    }
    expect(sent).toEqual([roomFrame(1, 40_000), roomFrame(1, 40_000)])
  })

  it('ignore what comes for a stream that was closed here', () => {
    const { connected, streams, push } = scene()
    push(openFrame(1))
    connected[0]?.destroy()
    push(dataFrame(1, Buffer.from('late')), endFrame(1))
    expect(streams.size).toBe(0)
  })

  it('are closed when the relay is gone', () => {
    const { connected, sent, streams, push } = scene()
    push(openFrame(1), openFrame(2))
    const before = sent.length
    streams.end()
    expect(connected.map(({ destroyed }) => destroyed)).toEqual([true, true])
    expect(sent).toHaveLength(before)
  })
})
