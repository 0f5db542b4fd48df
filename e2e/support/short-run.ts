/** A short run of a program in `bench`, and its result. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { newNamespace } from './server.ts'

/** Longest run on two busy cores, in milliseconds. */
const WITHIN_MS = 300_000

/** A terminated program removes what it created before it ends. */
const stop = async (child: ChildProcess | undefined): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/**
 * Runs the program before the tests of a `describe`, in its own namespace. The returned function gives tests its JSON
 * result.
 */
export const useShortRun = (program: 'load' | 'soak'): (() => unknown) => {
  let child: ChildProcess | undefined
  let found: unknown
  beforeAll(async () => {
    const main = join(import.meta.dirname, `../../bench/src/${program}/main.ts`)
    const env = { ...process.env, SLIPWAY_NAMESPACE: newNamespace() }
    const run = spawn(process.execPath, [main, '--short', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = run
    const [output, complaint] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')])
    expect(run.exitCode, complaint).toBe(0)
    found = JSON.parse(output)
  }, WITHIN_MS)
  afterAll(() => stop(child))
  return () => {
    if (found === undefined) throw new Error('what it found is there inside of tests only')
    return found
  }
}
