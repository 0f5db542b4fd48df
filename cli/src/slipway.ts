/** Chooses the command, and turns failures into exit codes. */
import { STATUS_CODES } from 'node:http'
import { EXIT, exitCodeOf, SlipwayError, usage } from './api/errors.ts'
import type { Context } from './arguments/context.ts'
import { helpOf, overview } from './arguments/help.ts'
import { COMPLETE } from './arguments/shells.ts'
import { candidates } from './commands/completion.ts'
import { commands } from './commands/index.ts'
import { jsonLine } from './ui/lines.ts'
import { VERSION } from './version.ts'

/** Commands whose exit code is that of a program in the agent. Their own failures must not look like its. */
const OF_A_PROGRAM = new Set(['exec', 'attach'])

/** Runs the command line, and resolves with the exit code. */
export const slipway = async (argv: readonly string[], context: Context): Promise<number> => {
  const [name = '--help', ...rest] = argv
  try {
    return await dispatch(name, rest, context)
  } catch (error) {
    if (context.interrupted.aborted) return EXIT.interrupted
    tell(error, rest, context)
    return OF_A_PROGRAM.has(name) ? EXIT.slipwayFailed : exitCodeOf(error)
  }
}

const dispatch = async (name: string, rest: readonly string[], context: Context): Promise<number> => {
  if (name === '--version') {
    context.out.say(VERSION)
    return EXIT.done
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    context.out.say(overview(commands))
    return EXIT.done
  }
  if (name === COMPLETE) return candidates(rest, commands, context)
  const chosen = commands.find((command) => command.name === name)
  if (chosen === undefined) throw usage(`There is no command ${name}. See "slipway --help"`)
  if (wantsHelp(rest)) {
    context.out.say(helpOf(chosen))
    return EXIT.done
  }
  return chosen.run(rest, context)
}

/** What comes after `--` belongs to another program. */
const beforeDashes = (argv: readonly string[]): readonly string[] => {
  const at = argv.indexOf('--')
  return at === -1 ? argv : argv.slice(0, at)
}
const wantsHelp = (argv: readonly string[]): boolean =>
  beforeDashes(argv).some((argument) => argument === '--help' || argument === '-h')

/** The failure in the API's own form for a script, and as a sentence for people. */
const tell = (error: unknown, argv: readonly string[], { out }: Context): void => {
  const known = error instanceof SlipwayError ? error : null
  const message = known?.message ?? `This should not happen: ${error instanceof Error ? error.message : String(error)}`
  if (!beforeDashes(argv).includes('--json')) return out.note(`slipway: ${message}`)
  const { statusCode = 0, code = 'INTERNAL' } = known ?? {}
  out.stderr.write(`${jsonLine({ statusCode, code, error: STATUS_CODES[statusCode] ?? 'Error', message })}\n`)
}
