// A minute of `npm run load`: users, terminals and listening pages on one server, and nothing left of them.
// In the short form `soak.test.ts` has what a server holds after its sessions, and `backend/src/modules/events/slow-listener.test.ts`
// the pages that listen.
import '@slipway/testing/long'
import { describe, expect, it } from 'vitest'
import { useShortRun } from '../support/short-run.ts'

/**
 * The target of `npm run load` is 2, on an idle machine. Here another test may run for a part of the time. This test
 * detects work that grows with the number of open sockets, which costs more than this ratio.
 */
const BUSY_RATIO = 8
/** After garbage collections, in bytes. */
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

describe('a server with many people on it', () => {
  const found = useShortRun('load') as () => Load

  it('holds nothing any more when they have gone: no socket, exec, process, timer or connection to the database', () => {
    // Each agent has the exec of its relay.
    const numbers = { sockets: expect.any(Number), execs: expect.any(Number), processes: expect.any(Number) }
    expect(found().before).toMatchObject(numbers)
    expect(Object.values(found().churned).every((count) => count > 0)).toBe(true)
    expect(found().after).toEqual(found().before)
  })

  it('has not grown by what they did', () => {
    // The limit allows for code compiled meanwhile and for bounded caches.
    expect(found().memoryAfter.heapBytes - found().memoryBefore.heapBytes).toBeLessThan(GROWTH_BYTES)
  })

  it.each(['signInP50', 'echoP50'] as const)('keeps %s near what it is without them', (figure) => {
    // The best round of each, because other programs slowed some rounds.
    expect(Math.min(...found().loaded[figure])).toBeLessThan(Math.min(...found().idle[figure]) * BUSY_RATIO)
  })
})
