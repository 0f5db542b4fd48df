/** Runs with people of a CLI that speaks ACP. */
import type { Headless, HeadlessOptions, HeadlessPeople, HeadlessProgram } from '../headless.ts'
import { replyWith } from './asks.ts'
import type { AcpCli } from './cli.ts'
import { AcpReading } from './reading.ts'

/** `read` reads the same CLI without people: its standard error is the same. */
export const acpPeople = (
  cli: AcpCli,
  read: Headless['read'],
  program: (options: HeadlessOptions) => Omit<HeadlessProgram, 'stdin'>,
): HeadlessPeople => ({
  // Turns are not told.
  output: {
    read: (options) => new AcpReading(cli, read(options), options),
    answersInterrupt: false,
    inPieces: ['text', 'thinking'],
  },
  program: (options) => ({ ...program(options), stdin: new Uint8Array() }),
  reply: replyWith(cli),
})
