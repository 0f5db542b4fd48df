#!/usr/local/bin/node
/** `slipway`, the command of programs in an agent: asks people, tells them something, and shows what the agent does. */
import { askUntilAnswered, printable } from './ask.ts'
import { commandOf, USAGE, UsageError } from './arguments.ts'
import { EXIT } from './exits.ts'
import { PATIENCE_MS, Refused, send, Unreachable } from './relay.ts'

const run = async (args: readonly string[]): Promise<number> => {
  const command = await commandOf(args)
  if (command.kind === 'help') {
    process.stdout.write(USAGE)
    return EXIT.done
  }
  if (command.kind === 'ask') return askUntilAnswered(command)
  if (command.kind === 'get') {
    const { text } = (await send('GET', command.path, undefined, { patienceMs: PATIENCE_MS })) as { text: string }
    if (command.prints) process.stdout.write(`${printable(text)}\n`)
    return EXIT.done
  }
  await send('POST', command.path, command.body, { patienceMs: PATIENCE_MS })
  return EXIT.done
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError || error instanceof Refused || error instanceof Unreachable)) throw error
  process.stderr.write(`slipway: ${error.message}\n`)
  process.exitCode = error.exitCode
}
