import { createServer, request, type RequestListener, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { PortPool } from './pool.ts'

/** An app, and the pool of connections to it. Counts the connections. */
const scene = (app: RequestListener) => {
  const server = createServer(app)
  const streams: Duplex[] = []
  const pool = new PortPool(() => {
    const [ours, theirs] = duplexPair()
    streams.push(ours)
    server.emit('connection', theirs)
    return Promise.resolve(ours)
  })
  const get = (): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ agent: pool, host: 'localhost' }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end()
    })
  const waiting = (): number => Object.values(pool.freeSockets).reduce((sum, sockets) => sum + sockets!.length, 0)
  return { get, made: () => streams.length, streams, waiting, pool }
}

describe('the connections to a port', () => {
  it('are used again', async () => {
    const { get, made, waiting } = scene((_request, response) => response.end('here'))
    expect(await get()).toBe('here')
    await vi.waitUntil(() => waiting() === 1, PATIENTLY)
    expect(await get()).toBe('here')
    expect(made()).toBe(1)
  })

  it('have no more listeners after many requests than after one', async () => {
    const { get, streams, waiting } = scene((_request, response) => response.end('here'))
    const listeners = async () => {
      await get()
      await vi.waitUntil(() => waiting() === 1, PATIENTLY)
      const [stream] = streams
      return stream!.eventNames().map((event) => [event, stream!.listenerCount(event)])
    }
    const before = await listeners()
    for (let at = 0; at < 12; at++) await listeners()
    expect(await listeners()).toEqual(before)
    expect(streams).toHaveLength(1)
  })

  it('are used no more once the app has closed them, though it promised to keep them', async () => {
    const { get, made, waiting } = scene((_request, response) => response.end('here', () => response.socket!.end()))
    expect(await get()).toBe('here')
    await vi.waitUntil(() => waiting() === 0, PATIENTLY)
    expect(await get()).toBe('here')
    expect(made()).toBe(2)
  })

  it('are closed when they are free once the pool is retired, and carry on until then', async () => {
    const answers: ServerResponse[] = []
    const { get, waiting, pool } = scene((_request, response) => void answers.push(response))
    const got = get()
    await vi.waitUntil(() => answers.length === 1, PATIENTLY)
    pool.retire()
    answers[0]!.end('here')
    expect(await got).toBe('here')
    await vi.waitUntil(() => Object.keys(pool.sockets).length === 0, PATIENTLY)
    expect(waiting()).toBe(0)
  })

  it('that wait are all closed on request', async () => {
    const { get, made, waiting, pool } = scene((_request, response) => response.end('here'))
    await Promise.all([get(), get()])
    await vi.waitUntil(() => waiting() === 2, PATIENTLY)
    pool.closeWaiting()
    expect(await get()).toBe('here')
    expect(made()).toBe(3)
  })
})
