// Less than a minute of `npm run soak`: sessions that are used in every way, and nothing left of them afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newNamespace } from '../support/server.ts'

/** On two cores that do other things, too. */
const WITHIN_MS = 300_000
/** After collections, in bytes. */
const GROWTH_BYTES = 4_000_000

interface Soak {
  readonly before: Readonly<Record<string, number>>
  readonly after: Readonly<Record<string, number>>
  readonly memoryBefore: { readonly heapBytes: number; readonly externalBytes: number }
  readonly memoryAfter: { readonly heapBytes: number; readonly externalBytes: number }
  readonly used: Readonly<Record<string, number>>
}

const start = () =>
  spawn(process.execPath, [join(import.meta.dirname, '../../bench/src/soak/main.ts'), '--short', '--json'], {
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

describe('sessions that were idle, typed into, flooded, lost and come back to, taken over and resized', () => {
  let child: ReturnType<typeof start>
  let soak: Soak
  beforeAll(async () => {
    child = start()
    const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect(child.exitCode, complaint).toBe(0)
    soak = JSON.parse(output) as Soak
  }, WITHIN_MS)
  afterAll(() => stop(child))

  it('leave nothing when they have ended: no socket, exec, process or timer', () => {
    expect(Object.values(soak.used).every((count) => count > 0)).toBe(true)
    expect(soak.before).toMatchObject({ sockets: expect.any(Number), execs: 0, processes: expect.any(Number) })
    expect(soak.after).toEqual(soak.before)
  })

  it('leave no memory behind', () => {
    expect(soak.memoryAfter.heapBytes - soak.memoryBefore.heapBytes).toBeLessThan(GROWTH_BYTES)
    expect(soak.memoryAfter.externalBytes - soak.memoryBefore.externalBytes).toBeLessThan(GROWTH_BYTES)
  })
})
