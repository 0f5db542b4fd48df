/** `slipway attach` */
import type { TerminalMode } from '@slipway/protocol'
import { EXIT, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { written } from '../output/output.ts'
import { DetachKey } from '../terminal/detach-key.ts'
import { type LinkEnd, type Size, TerminalLink } from '../terminal/link.ts'
import { LocalScreen } from '../terminal/local-screen.ts'

const MODES = ['claude', 'gemini', 'codex', 'bash'] as const satisfies readonly TerminalMode[]
/** For so long a lost connection is not mentioned, in milliseconds. Most are back before. */
const QUIET_MS = 2_000
/** The bounds of a terminal's size. */
const COLS = { min: 2, max: 1000 }
const ROWS = { min: 1, max: 1000 }

const within = (size: number | undefined, otherwise: number, { min, max }: { min: number; max: number }): number =>
  Math.min(Math.max(size || otherwise, min), max)

export const attach = command({
  name: 'attach',
  about: 'Open the terminal of an agent here; Ctrl+] leaves it, and the session waits',
  positionals: [{ name: 'AGENT', kind: 'agent' }],
  options: {
    mode: { type: 'string', value: 'NAME', about: 'The program, in place of the agent’s own', values: MODES },
    tab: {
      type: 'string',
      value: 'NAME',
      about: 'Which of your terminals in the agent, in place of the one without a name',
    },
    'take-over': { type: 'boolean', about: 'Take the session from another client of yours' },
  },
  run: async ({ arguments: [agent = ''], options }, context) => {
    const { stdin, out, interrupted } = context
    const stdout = out.stdout as NodeJS.WriteStream
    if (!stdin.isTTY || !stdout.isTTY) throw usage('attach needs a terminal. "slipway exec" does not.')
    const { url, token } = await context.client()
    const { mode, tab } = options
    const wanted = new URLSearchParams({ ...(mode !== undefined && { mode }), ...(tab !== undefined && { tab }) })
    const query = wanted.size === 0 ? '' : `?${wanted.toString()}`
    const screen = new LocalScreen()
    const size = (): Size => ({ cols: within(stdout.columns, 80, COLS), rows: within(stdout.rows, 24, ROWS) })
    const key = new DetachKey()
    let lost: NodeJS.Timeout | undefined

    const link = new TerminalLink({
      url: `${url.replace(/^http/, 'ws')}/api/agents/${encodeURIComponent(agent)}/terminal${query}`,
      ...{ token, size, takesOver: options['take-over'] === true },
      draw: (bytes, drawn) => {
        screen.watch(bytes)
        stdout.write(bytes, drawn)
      },
      onRoom: () => void stdin.resume(),
      onLost: (isLost) => {
        clearTimeout(lost)
        lost = undefined
        if (isLost) lost = setTimeout(tell, QUIET_MS)
      },
    })
    const tell = (): void => {
      link.forgetScreen()
      stdout.write('\r\n\x1b[0m[slipway: the connection is lost. It comes back by itself; Ctrl+] leaves.]\r\n')
    }
    const type = (bytes: Buffer): void => {
      const { input, isPressed } = key.take(bytes)
      if (input.length > 0 && !link.type(input)) stdin.pause()
      if (isPressed) link.detach()
    }
    const resize = (): void => link.resize()
    const leave = (): void => link.detach()

    stdin.setRawMode(true)
    stdin.on('data', type)
    stdin.on('end', leave)
    stdout.on('resize', resize)
    interrupted.addEventListener('abort', leave)
    try {
      const end = await link.ended
      await written(stdout, screen.restoring)
      // A notice in the session would not stay on its screen.
      if (link.hasLostInput) out.note('Input that had not arrived was lost with the connection.')
      out.note(end === null ? 'You have left the terminal. The session waits for you.' : end.message)
      return exitCodeFor(end)
    } finally {
      clearTimeout(lost)
      stdin.off('data', type).off('end', leave).pause()
      stdin.setRawMode(false)
      stdout.off('resize', resize)
      interrupted.removeEventListener('abort', leave)
    }
  },
})

/** That of the program, if it has one. */
const exitCodeFor = (end: LinkEnd): number => {
  if (end === null) return EXIT.done
  return end.exitCode ?? (end.reason === 'disconnected' ? EXIT.done : EXIT.slipwayFailed)
}
