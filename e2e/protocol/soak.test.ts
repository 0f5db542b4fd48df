// Less than a minute of `npm run soak`: sessions in every kind of use, and nothing left of them.
import { describe, expect, it } from 'vitest'
import { useShortRun } from '../support/short-run.ts'

/** After garbage collections, in bytes. */
const GROWTH_BYTES = 4_000_000

interface Soak {
  readonly before: Readonly<Record<string, number>>
  readonly after: Readonly<Record<string, number>>
  readonly memoryBefore: { readonly heapBytes: number; readonly externalBytes: number }
  readonly memoryAfter: { readonly heapBytes: number; readonly externalBytes: number }
  readonly used: Readonly<Record<string, number>>
}

describe('sessions that were idle, typed into, flooded, lost and resumed, taken over and resized', () => {
  const found = useShortRun('soak') as () => Soak

  it('leave nothing when they have ended: no socket, exec, process or timer', () => {
    expect(Object.values(found().used).every((count) => count > 0)).toBe(true)
    // Each agent has the exec of its relay.
    const numbers = { sockets: expect.any(Number), execs: expect.any(Number), processes: expect.any(Number) }
    expect(found().before).toMatchObject(numbers)
    expect(found().after).toEqual(found().before)
  })

  it('leave no memory behind', () => {
    expect(found().memoryAfter.heapBytes - found().memoryBefore.heapBytes).toBeLessThan(GROWTH_BYTES)
    expect(found().memoryAfter.externalBytes - found().memoryBefore.externalBytes).toBeLessThan(GROWTH_BYTES)
  })
})
