// A minute of `npm run load`: people, terminals and listening pages on one server, and nothing left of them afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newNamespace } from '../support/server.ts'

/** On two cores that do other things, too. */
const WITHIN_MS = 300_000
/**
 * The target of `npm run load` is 2, on a machine of its own. Here another test runs beside it and may begin or end in
 * between; what this finds is work that grows with the number of open sockets, which costs more than that.
 */
const BUSY_RATIO = 8
/** After collections, in bytes. */
const GROWTH_BYTES = 4_000_000

interface Load {
  readonly plan: { readonly users: number; readonly agentsEach: number; readonly pagesEach: number }
  readonly before: Readonly<Record<string, number>>
  readonly after: Readonly<Record<string, number>>
  readonly memoryBefore: { readonly heapBytes: number }
  readonly memoryAfter: { readonly heapBytes: number }
  readonly churned: Readonly<Record<string, number>>
  readonly idle: Readonly<Record<'signInP50' | 'echoP50', number[]>>
  readonly loaded: Readonly<Record<'signInP50' | 'echoP50', number[]>>
}

const start = () =>
  spawn(process.execPath, [join(import.meta.dirname, '../../bench/src/load/main.ts'), '--short', '--json'], {
    env: { ...process.env, SLIPWAY_NAMESPACE: newNamespace() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** One that was given up removes what it made before it ends. */
const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

describe('a server with many people on it', () => {
  let child: ReturnType<typeof start>
  let load: Load
  beforeAll(async () => {
    child = start()
    const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect(child.exitCode, complaint).toBe(0)
    load = JSON.parse(output) as Load
  }, WITHIN_MS)
  afterAll(() => stop(child))

  it('holds nothing any more when they have gone: no socket, exec, process, timer or connection to the database', () => {
    expect(load.before).toMatchObject({ sockets: expect.any(Number), execs: 0, processes: expect.any(Number) })
    expect(Object.values(load.churned).every((count) => count > 0)).toBe(true)
    expect(load.after).toEqual(load.before)
  })

  it('has not grown by what they did', () => {
    // Code that was compiled meanwhile, and caches with a bound, take less than one of them.
    expect(load.memoryAfter.heapBytes - load.memoryBefore.heapBytes).toBeLessThan(GROWTH_BYTES)
  })

  it.each(['signInP50', 'echoP50'] as const)('keeps %s near what it is without them', (figure) => {
    // The best round of each: what else the machine did slowed some of them.
    expect(Math.min(...load.loaded[figure])).toBeLessThan(Math.min(...load.idle[figure]) * BUSY_RATIO)
  })
})
