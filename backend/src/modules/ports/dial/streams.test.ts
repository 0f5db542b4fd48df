import { afterEach, describe, expect, it, vi } from 'vitest'
import { closeFrame, dataFrame, FrameError, roomFrame } from '../../../runtime/carried/frames.ts'
import { CONNECTIONS_MAX, DialStreams } from './streams.ts'

const frame = (letter: string, stream: number, payload = Buffer.alloc(0)): Buffer => {
  const bytes = dataFrame(stream, payload)
  bytes.write(letter, 'latin1')
  return bytes
}

/** What a program of a hostile container may send. */
const scene = (bytesPerSecond = 2 ** 30) => {
  const sent: Buffer[] = []
  let takesMore = true
  const send = (bytes: Uint8Array): boolean => {
    sent.push(Buffer.from(bytes))
    return takesMore
  }
  const streams = new DialStreams({ send, ready: () => undefined }, bytesPerSecond)
  return { sent, streams, fill: () => (takesMore = false), empty: () => (takesMore = true) }
}

describe('a connection to a port', () => {
  it('is there once its program has accepted', async () => {
    const { sent, streams } = scene()
    const connecting = streams.connect(5173)
    expect(sent[0]).toEqual(Buffer.from([112, 0, 0, 0, 1, 0, 2, 0x14, 0x35]))
    streams.push(Buffer.concat([frame('o', 1), dataFrame(1, Buffer.from('hello'))]))
    expect(String((await connecting).read())).toBe('hello')
  })

  it('is refused where nothing listens', async () => {
    const { streams } = scene()
    const connecting = streams.connect(1)
    streams.push(closeFrame(1))
    await expect(connecting).rejects.toMatchObject({ code: 'refused' })
    expect(streams.size).toBe(0)
  })

  it('is refused beyond their number, and when the container is gone', async () => {
    const { streams } = scene()
    const all = Array.from({ length: CONNECTIONS_MAX }, () => streams.connect(1))
    await expect(streams.connect(1)).rejects.toMatchObject({ code: 'full' })
    streams.end()
    for (const one of all) await expect(one).rejects.toMatchObject({ code: 'gone' })
    await expect(streams.connect(1)).rejects.toMatchObject({ code: 'gone' })
    await expect(streams.list()).rejects.toMatchObject({ code: 'gone' })
  })

  it('is no reason to wait for a list for ever', async () => {
    vi.useFakeTimers()
    const { sent, streams } = scene()
    const late = expect(streams.list()).rejects.toMatchObject({ code: 'late' })
    vi.advanceTimersByTime(10_000)
    await late
    const next = streams.list()
    expect(sent).toHaveLength(2)
    streams.end()
    await expect(next).rejects.toMatchObject({ code: 'gone' })
  })

  it('waits while the pipe that all share is full, so that nothing is lost', async () => {
    const { sent, streams, fill, empty } = scene()
    const connecting = [streams.connect(1), streams.connect(2)]
    streams.push(Buffer.concat([frame('o', 1), frame('o', 2)]))
    const [one, two] = await Promise.all(connecting)
    fill()
    one!.write('a')
    two!.write('b')
    expect(sent.at(-1)).toEqual(dataFrame(1, Buffer.from('a')))
    empty()
    streams.drained()
    expect(sent.at(-1)).toEqual(dataFrame(2, Buffer.from('b')))
  })

  it.each([
    ['data before it has accepted', dataFrame(1, Buffer.from('x'))],
    ['data of a connection that was not asked for', dataFrame(2, Buffer.from('x'))],
    ['room before it has accepted', roomFrame(1, 1)],
  ])('breaks with a program that sends %s', (_what, bytes) => {
    const { streams } = scene()
    streams.connect(1).catch(() => undefined)
    expect(() => streams.push(bytes)).toThrow(FrameError)
  })
})

describe('the list of listeners', () => {
  it('is asked for once by all who wait for it', async () => {
    const { sent, streams } = scene()
    const lists = [streams.list(), streams.list()]
    expect(sent).toHaveLength(1)
    streams.push(frame('l', 0, Buffer.from('[]')))
    expect((await Promise.all(lists)).map(String)).toEqual(['[]', '[]'])
  })
})

describe('the bytes of all connections of an agent', () => {
  afterEach(() => void vi.useRealTimers())

  it('are sent in turns, and no faster than is allowed', async () => {
    vi.useFakeTimers()
    const { sent, streams } = scene(20_000)
    const connecting = [streams.connect(1), streams.connect(2)]
    streams.push(Buffer.concat([frame('o', 1), frame('o', 2)]))
    const [one, two] = await Promise.all(connecting)
    one!.write(Buffer.alloc(65_536, 'a'))
    two!.write(Buffer.alloc(65_536, 'b'))
    const letters = (): string =>
      sent
        .slice(2)
        .map((bytes) => bytes.toString('latin1', 7, 8))
        .join('')
    expect(letters()).toBe('aa')
    vi.advanceTimersByTime(4_500)
    expect(letters()).toBe('aaababb')
    vi.advanceTimersByTime(500)
    expect(letters()).toBe('aaababbb')
  })

  it('wait for the program and for their pace', async () => {
    vi.useFakeTimers()
    const { sent, streams, fill, empty } = scene(20_000)
    const connecting = streams.connect(1)
    streams.push(frame('o', 1))
    fill()
    ;(await connecting).write(Buffer.alloc(65_536, 'a'))
    expect(sent).toHaveLength(2)
    vi.advanceTimersByTime(60_000)
    expect(sent).toHaveLength(2)
    empty()
    streams.drained()
    expect(sent).toHaveLength(4)
    streams.drained()
    expect(sent).toHaveLength(4)
  })

  it('are read no faster than is allowed', () => {
    vi.useFakeTimers()
    const { streams } = scene(1000)
    const list = frame('l', 0, Buffer.alloc(2000))
    expect(streams.push(list)).toBe(1007)
    vi.advanceTimersByTime(1007)
    expect(streams.push(frame('l', 0))).toBe(7)
  })
})
