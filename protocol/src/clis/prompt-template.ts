/** The arguments of a custom provider. No shell ever sees them. Pure: the page shows the same ones that a task gets. */
import type { PromptVia } from './cli-providers.ts'

const BLANK = /[ \t\r\n]/
const PLACEHOLDER = /\{(prompt|cwd|model|mcp_config)\}/g
/** The placeholders that may stand for nothing. */
const OPTIONAL = ['model', 'mcp_config'] as const

/** What a user says of their CLI, as far as it decides its arguments. */
export interface DescribedCli {
  readonly binary: string
  readonly defaultArgs: readonly string[]
  /** A text that {@link entriesOf} can split, or null. */
  readonly promptTemplate: string | null
  readonly promptVia: PromptVia
}

/** What the placeholders stand for. */
export interface TemplateValues {
  readonly prompt: string
  readonly cwd: string
  /** Null: the task names no model. */
  readonly model: string | null
  /** The path of the file with the MCP servers of the task's connectors. Null: it has none. */
  readonly mcp_config: string | null
}

/**
 * Splits a template into entries of an argv, at blanks. Blanks within single or double quotes belong to their entry. A
 * backslash makes the next character an ordinary one; within double quotes only before `"` and `\`, within single quotes
 * never. Nothing else has a meaning. Null: a quote is not closed, or nothing follows the last backslash.
 */
export const entriesOf = (template: string): readonly string[] | null => {
  const entries: string[] = []
  let entry: string | null = null
  let quote: string | null = null
  for (let at = 0; at < template.length; at += 1) {
    const character = template.charAt(at)
    if (quote === null && BLANK.test(character)) {
      if (entry !== null) entries.push(entry)
      entry = null
      continue
    }
    entry ??= ''
    if (character === quote) quote = null
    else if (quote === null && (character === "'" || character === '"')) quote = character
    else if (character === '\\' && quote !== "'") {
      at += 1
      if (at === template.length) return null
      const next = template.charAt(at)
      entry += quote === '"' && next !== '"' && next !== '\\' ? `\\${next}` : next
    } else entry += character
  }
  if (quote !== null) return null
  return entry === null ? entries : [...entries, entry]
}

/**
 * Puts the values into the entries. A value never becomes more than one entry, and a placeholder in a value stays as it
 * is. Without a model, entries with `{model}` are left out. So is an option (`-m`) before an entry that is only `{model}`.
 * The same holds for `{mcp_config}`.
 */
export const expanded = (entries: readonly string[], values: TemplateValues): string[] => {
  const missing = OPTIONAL.filter((name) => values[name] === null).map((name) => `{${name}}`)
  return entries.flatMap((entry, at) => {
    const next = entries[at + 1]
    if (missing.some((one) => entry.includes(one) || (entry.startsWith('-') && next === one))) return []
    return [entry.replaceAll(PLACEHOLDER, (_whole, name: keyof TemplateValues) => values[name] ?? '')]
  })
}

/** The entries of a provider's template. Without one, the prompt is the last argument where it is an argument at all. */
export const templateOf = ({ promptTemplate, promptVia }: DescribedCli): readonly string[] => {
  if (promptTemplate !== null) return entriesOf(promptTemplate) ?? []
  return promptVia === 'argument' ? ['{prompt}'] : []
}

/** Whether the CLI gets the connectors of its tasks. */
export const takesMcpConfig = (cli: DescribedCli): boolean =>
  templateOf(cli).some((entry) => entry.includes('{mcp_config}'))

/** The program with its arguments. With `promptVia` `file`, the path of the file follows. */
export const argvOf = (cli: DescribedCli, values: TemplateValues): string[] => [
  cli.binary,
  ...cli.defaultArgs,
  ...expanded(templateOf(cli), values),
]
