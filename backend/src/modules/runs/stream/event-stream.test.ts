import { once } from 'node:events'
import type { RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { eventStream, type StreamFormat } from './event-stream.ts'

const event = (seq: number): RunEvent => ({ seq, at: '2026-11-25T12:00:00.000Z', type: 'text', text: 'x'.repeat(1000) })

/** Events without end, which notes when its reader has gone. */
const endless = () => {
  const state = { isClosed: false, hasLeft: false }
  async function* events(): AsyncGenerator<RunEvent> {
    try {
      for (let seq = 1; ; seq += 1) yield await Promise.resolve(event(seq))
    } finally {
      state.isClosed = true
    }
  }
  return { state, events: events() }
}

async function* three(): AsyncGenerator<RunEvent> {
  for (const seq of [1, 2, 3]) yield await Promise.resolve(event(seq))
}
const textOf = async (format: StreamFormat): Promise<string> => {
  let text = ''
  for await (const chunk of eventStream(three(), format, () => undefined)) text += String(chunk)
  return text
}

describe('the events of a run as a response', () => {
  it('are one line each, and end with the run', async () => {
    const lines = (await textOf('ndjson')).trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as RunEvent).seq)).toEqual([1, 2, 3])
  })

  it('have their numbers as ids for a browser', async () => {
    const messages = (await textOf('sse')).trimEnd().split('\n\n')
    expect(messages.map((message) => message.split('\n')[0])).toEqual(['id: 1', 'id: 2', 'id: 3'])
  })

  it('close what they read when the client leaves in the middle', async () => {
    const { state, events } = endless()
    const stream = eventStream(events, 'ndjson', () => (state.hasLeft = true))
    stream.once('data', () => stream.pause())
    await once(stream, 'data')
    stream.destroy()
    await until('the reader to close', () => state.isClosed)
    expect(state.hasLeft).toBe(true)
  })
})
