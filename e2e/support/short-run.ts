/** A short run of one of the programs in `bench`, and what it found. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { newNamespace } from './server.ts'

/** Longest that one may take on two cores that do other things, too, in milliseconds. */
const WITHIN_MS = 300_000

/** One that was given up removes what it made before it ends. */
const stop = async (child: ChildProcess | undefined): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** Runs it before the tests of a `describe`, in a namespace of its own; the answer gives inside of them what it printed for programs. */
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
