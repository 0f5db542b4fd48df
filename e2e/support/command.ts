/** The command `slipway`, as a user runs it: a process with its own home and its own environment. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@slipway/testing'
import { afterAll, beforeAll } from 'vitest'

/** The command's program. */
export const MAIN = join(import.meta.dirname, '../../cli/src/main.ts')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** What it has printed on standard output so far. */
  stdout(): string
  stderr(): string
  /** The first JSON value in a line of its standard output for which a condition holds, as soon as there is one. */
  says(what: string, holds: (value: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  /** Writes a JSON value in a line to its standard input. */
  answer(value: object): void
}

export interface Command {
  /** Its home, which holds the stored account. */
  readonly home: string
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): Running
  /** Runs it to its end. */
  run(argv: readonly string[], given?: { stdin?: string; env?: Readonly<Record<string, string>> }): Promise<Ended>
}

/** Longest time until the command says something on a busy machine, in milliseconds. */
const SAYS_MS = 150_000

/** The JSON values in lines of a text. A line that has not ended is left out. */
export const valuesIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Call it once at the top of a file. `program` is the command's own by default, run from its sources. */
export const useCommand = (program: () => readonly [string, ...string[]] = () => [process.execPath, MAIN]): Command => {
  let home = ''
  const running = new Set<Running>()
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'slipway-test-command-'))
  })
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL')
    await Promise.all([...running].map(({ ended }) => ended))
    rmSync(home, { recursive: true, force: true })
  })
  const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Running => {
    const [file, ...first] = program()
    const child = spawn(file, [...first, ...argv], {
      env: { PATH: process.env.PATH, HOME: home, ...env },
      stdio: 'pipe',
    })
    const said = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined)
    const ended = once(child, 'close').then(([code]) => {
      running.delete(one)
      return { code: code as number | null, ...said }
    })
    const one: Running = {
      child,
      ended,
      stdout: () => said.stdout,
      stderr: () => said.stderr,
      says: (what, holds) => until(what, () => valuesIn(said.stdout).find(holds), SAYS_MS),
      answer: (value) => child.stdin.write(`${JSON.stringify(value)}\n`),
    }
    running.add(one)
    return one
  }
  return {
    get home() {
      return home
    },
    start,
    run: async (argv, { stdin, env } = {}) => {
      const { child, ended } = start(argv, env)
      child.stdin.end(stdin)
      return ended
    },
  }
}
