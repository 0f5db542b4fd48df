/** Measures the time until a client that reconnects has the whole screen. */
import { TerminalSocket } from '@slipway/testing'
import { endsWith, pause } from './channel.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

/** The id of one tab, which replaces its own socket at once. */
const CLIENT = 'repaint'
/** Time in which the mirror parses the rest of the output after the program has ended, in milliseconds. */
const SETTLE_MS = 1_000
/** Pause between two reloads, in milliseconds. */
const REST_MS = 100

export interface Repaint {
  /** From the first message to the last byte of the screen, in milliseconds. */
  readonly ms: number
  readonly bytes: number
}

/**
 * Runs a command line that fills a session's scrollback. Then it loses the connection and reconnects `times` times,
 * without any earlier output.
 */
export const repaint = async (target: TerminalTarget, line: string, times: number): Promise<Repaint[]> => {
  const terminal = await openTerminal(target, { client: CLIENT, cols: 100, rows: 40 })
  const done = endsWith(terminal, 'done-mark')
  terminal.write(`stty -echo; ${line}; printf 'done-%s' mark; read -r\r`)
  await done
  await pause(SETTLE_MS)
  terminal.cut()
  const samples: Repaint[] = []
  for (let time = 0; time < times; time++) {
    await pause(REST_MS)
    samples.push(await reload(target))
  }
  await (await openTerminal(target, { client: CLIENT })).close()
  return samples
}

const reload = async ({ url, token }: TerminalTarget): Promise<Repaint> => {
  const terminal = new TerminalSocket(url)
  const { promise, resolve, reject } = Promise.withResolvers<Repaint>()
  let bytes = 0
  let started = 0
  terminal.onFrame((frame) => {
    if (frame.type === 'snapshot') bytes = frame.bytes
  })
  terminal.onOutput((screen) => {
    if (screen.length === bytes) resolve({ ms: performance.now() - started, bytes })
    else reject(new Error(`${screen.length} bytes came instead of a screen of ${bytes}`))
    terminal.cut()
  })
  await terminal.refused
  started = performance.now()
  await terminal.enter({ type: 'auth', token, v: 2, client: CLIENT, cols: 100, rows: 40 })
  return promise
}
