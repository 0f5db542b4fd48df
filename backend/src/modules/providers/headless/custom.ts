/** A CLI that a user has described. */
import { type OutputFormat, takesMcpConfig } from '@slipway/protocol'
import type { Headless, HeadlessOutput, Reading } from './headless.ts'
import { JsonReading } from './custom/json.ts'
import { type CustomCli, programOf, refusalOf } from './custom/program.ts'
import { StreamReading } from './custom/stream.ts'
import { TextReading } from './custom/text.ts'

const READINGS: Readonly<Record<OutputFormat, new () => Reading>> = {
  text: TextReading,
  json: JsonReading,
  'stream-json': StreamReading,
}

/** How the output of a custom provider is read. */
export const customOutput = (format: OutputFormat): HeadlessOutput => ({
  read: () => new READINGS[format](),
  answersInterrupt: false,
  isQuiet: format !== 'stream-json',
})

/** How a custom provider runs. */
export const customHeadless = (cli: CustomCli): Headless => ({
  program: (options) => programOf(cli, options),
  refusal: (options) => refusalOf(cli, options),
  ...(takesMcpConfig(cli) && { takesServers: true }),
  ...customOutput(cli.outputFormat),
})
