/** A command of `slipway`, declared once: its arguments, its help and its completion come from the same table. */
import { parseArgs } from 'node:util'
import { usage } from '../api/errors.ts'
import type { Context } from './context.ts'

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** Whether it may be given several times. */
  readonly multiple?: boolean
  /** What the value is, in the help: `NAME`. */
  readonly value?: string
  readonly about: string
  /** All values that it takes. */
  readonly values?: readonly string[]
}

export type Options = Readonly<Record<string, Option>>

type ValueOf<O extends Option> = O['type'] extends 'boolean' ? boolean : O['multiple'] extends true ? string[] : string
/** The options as they were given. */
export type Values<O extends Options> = { readonly [K in keyof O]?: ValueOf<O[K]> | undefined }

/** What a positional argument is, which completion knows. */
export interface Positional {
  /** In the help: `AGENT`. */
  readonly name: string
  readonly kind: 'agent' | 'run' | 'dialog' | 'shell' | 'text'
  readonly optional?: boolean
  /** Whether further arguments belong to it. */
  readonly rest?: boolean
}

/** A command without the types of its own options. */
export interface Command {
  readonly name: string
  readonly about: string
  readonly positionals: readonly Positional[]
  readonly options: Options
  /** Resolves with the exit code. */
  readonly run: (argv: readonly string[], context: Context) => Promise<number>
}

interface Declaration<O extends Options> extends Omit<Command, 'run' | 'options'> {
  readonly options: O
  readonly run: (given: Given<O>, context: Context) => Promise<number>
}

export interface Given<O extends Options> {
  /** As many as the command declares; empty texts for optional ones that are missing. */
  readonly arguments: readonly string[]
  readonly options: Values<O>
}

export const command = <const O extends Options>(declaration: Declaration<O>): Command => ({
  ...declaration,
  run: async (argv, context) => declaration.run(parse(declaration, argv), context),
})

const parse = <O extends Options>(declaration: Declaration<O>, argv: readonly string[]): Given<O> => {
  const { values, positionals } = parsed(declaration, argv)
  for (const [name, { values: known }] of Object.entries(declaration.options)) {
    const given: unknown = values[name]
    if (known !== undefined && typeof given === 'string' && !known.includes(given))
      throw usage(`--${name} takes ${known.join(', ')}; ${given} is none of them.`)
  }
  const needed = declaration.positionals.filter(({ optional }) => optional !== true)
  const missing = needed[positionals.length]
  if (missing !== undefined) throw usage(`${missing.name} is missing. See "slipway ${declaration.name} --help"`)
  const takesAll = declaration.positionals.at(-1)?.rest === true
  const tooMuch = positionals[declaration.positionals.length]
  if (!takesAll && tooMuch !== undefined)
    throw usage(`${tooMuch} is too much. See "slipway ${declaration.name} --help"`)
  return { arguments: positionals, options: values as Values<O> }
}

const parsed = ({ options }: { readonly options: Options }, argv: readonly string[]) => {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, short, multiple = false }]) => [
          name,
          { type, multiple, ...(short === undefined ? {} : { short }) },
        ]),
      ),
    })
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

/** A whole number in an option. */
export const wholeNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw usage(`--${name} takes a whole number; ${text} is none.`)
  return Number(text)
}
