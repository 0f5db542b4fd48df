/** A program in a terminal of this machine: a pseudo-terminal that an emulator draws and answers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createEmulator } from '@slipway/emulator/headless'
import { until } from '@slipway/testing'
import { screenOf } from './emulated.ts'

export const PTY_SIZE = { cols: 91, rows: 33 }

const quoted = (argument: string): string => `'${argument.replaceAll("'", `'\\''`)}'`

export type Pty = ReturnType<typeof startInPty>

/** Longest time until a program prints something on a busy machine, in milliseconds. */
const PRINTS_MS = 120_000

/** Starts it with {@link PTY_SIZE}. The name of its device is printed first. */
export const startInPty = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
  const line = `stty cols ${PTY_SIZE.cols} rows ${PTY_SIZE.rows}; tty; exec ${argv.map(quoted).join(' ')}`
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
    stdio: 'pipe',
  })
  const ended = once(child, 'close').then(([code]) => code as number)
  const { terminal } = createEmulator(PTY_SIZE)
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('latin1')
    terminal.write(chunk)
  })
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined)
  terminal.onData((answer) => child.stdin.write(answer))
  return {
    ended,
    terminal,
    printed: () => printed,
    screen: () => screenOf(terminal),
    type: (keys: string) => child.stdin.write(keys),
    prints: (what: RegExp, patienceMs = PRINTS_MS) =>
      until(`${what} to be printed`, () => what.test(printed), patienceMs).catch((error: unknown) => {
        throw new Error(JSON.stringify(printed.slice(-2000)), { cause: error })
      }),
    /** The path of its device. */
    device: () => /\/dev\/\S+/.exec(printed)![0],
    end: () => {
      child.kill()
      return ended
    },
  }
}
