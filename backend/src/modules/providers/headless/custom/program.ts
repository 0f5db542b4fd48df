/** The program of a custom provider. */
import { readFileSync } from 'node:fs'
import { argvOf, type DescribedCli, type OutputFormat, templateOf } from '@slipway/protocol'
import type { HeadlessOptions, HeadlessProgram } from '../headless.ts'
import { LIKE_CLAUDE, withServers } from '../mcp/with-servers.ts'

/** What a user says of their CLI, as far as it decides how it runs. All values are validated. */
export interface CustomCli extends DescribedCli {
  readonly outputFormat: OutputFormat
}

/** Longest argument that Linux accepts, in bytes with its terminating NUL (`MAX_ARG_STRLEN`). */
const ARGUMENT_BYTES_MAX = 131_072
/** Longest argv, in bytes: half of what Linux accepts for all arguments and variables of a program. */
const ARGV_BYTES_MAX = 1_048_576

const PROMPT_FILE = readFileSync(new URL('prompt-file.sh', import.meta.url), 'utf8')

/** What the path of the servers' file replaces. No prompt can name it, because the id is a new one. */
const markOf = ({ sessionId }: HeadlessOptions): string => `slipway-mcp-config-${sessionId}`

const valuesOf = (options: HeadlessOptions) => {
  const { prompt, folder: cwd, model, servers = [] } = options
  return { prompt, cwd, model, mcp_config: servers.length === 0 ? null : markOf(options) }
}

export const programOf = (cli: CustomCli, options: HeadlessOptions): HeadlessProgram =>
  withServers(plainProgramOf(cli, options), { at: markOf(options), ...LIKE_CLAUDE }, options.servers)

const plainProgramOf = (cli: CustomCli, options: HeadlessOptions): HeadlessProgram => {
  const argv = argvOf(cli, valuesOf(options))
  const prompt = new TextEncoder().encode(options.prompt)
  switch (cli.promptVia) {
    case 'argument':
      return { argv, env: {}, stdin: new Uint8Array() }
    case 'stdin':
      return { argv, env: {}, stdin: prompt }
    case 'file':
      return { argv: ['/bin/sh', '-c', PROMPT_FILE, 'slipway-prompt', ...argv], env: {}, stdin: prompt }
  }
}

/** Why the provider cannot run this task, or null. */
export const refusalOf = (cli: CustomCli, options: HeadlessOptions): string | null => {
  if (options.model !== null && !templateOf(cli).some((entry) => entry.includes('{model}')))
    return 'model: this provider takes none, because its prompt_template has no {model}'
  const lengths = argvOf(cli, valuesOf(options)).map((entry) => Buffer.byteLength(entry) + 1)
  const all = lengths.reduce((sum, length) => sum + length, 0)
  if (lengths.every((length) => length <= ARGUMENT_BYTES_MAX) && all <= ARGV_BYTES_MAX) return null
  return `prompt: an argument of a program has at most ${ARGUMENT_BYTES_MAX} bytes. Give this provider prompt_via: stdin (or file), or shorten the prompt`
}
