/** The help, from the table of commands. */
import type { Command, Option, Positional } from './command.ts'

const ofPositional = ({ name, optional, rest }: Positional): string => {
  const shown = rest === true ? `${name}...` : name
  return optional === true ? `[${shown}]` : shown
}

/** `run AGENT PROMPT [options]` */
const usageOf = ({ name, positionals, options }: Command): string =>
  [name, ...(Object.keys(options).length > 0 ? ['[options]'] : []), ...positionals.map(ofPositional)].join(' ')

const inColumns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

const ofOption = ([name, { short, value, about, values }]: [string, Option]): [string, string] => [
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
  values === undefined ? about : `${about} (${values.join(', ')})`,
]

/** All commands. */
export const overview = (commands: readonly Command[]): string =>
  [
    'slipway: coding agents, from a terminal and from scripts',
    '',
    inColumns(commands.map((command) => [usageOf(command), command.about])),
    '',
    '"slipway COMMAND --help" has the options of a command.',
    'SLIPWAY_URL and SLIPWAY_TOKEN win over what "slipway login" has stored.',
  ].join('\n')

/** One command with its options. */
export const helpOf = (command: Command): string => {
  const options = Object.entries(command.options)
  return [
    `slipway ${usageOf(command)}`,
    '',
    command.about,
    ...(options.length > 0 ? ['', inColumns(options.map(ofOption))] : []),
  ].join('\n')
}
