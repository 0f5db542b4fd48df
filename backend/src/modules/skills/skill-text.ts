/** Reads a `SKILL.md`: front matter as agentskills.io has it, with triggers and a priority, and instructions. Pure. */
import {
  SKILL_COMPATIBILITY_MAX,
  SKILL_DESCRIPTION_MAX,
  SKILL_NAME_MAX,
  SKILL_NAME_PATTERN,
  SKILL_PRIORITY_MAX,
  SKILL_TEXT_MAX,
  SKILL_TRIGGER_MAX,
  SKILL_TRIGGERS_MAX,
  type SkillProblem,
} from '@slipway/protocol'
import { hiddenIn, runsCommands } from './hidden.ts'
import { isFields, parsedFields, type Value } from './yaml.ts'

/** What a `SKILL.md` says. */
export interface SkillText {
  readonly name: string
  readonly description: string
  readonly license: string | null
  readonly compatibility: string | null
  /** Without triggers and priority. */
  readonly metadata: Readonly<Record<string, string>>
  /** In lower case, without duplicates. */
  readonly triggers: readonly string[]
  readonly priority: number
  /** The instructions, without the front matter. */
  readonly body: string
}

/** A `SKILL.md` that was read; `skill` is null if there are problems. */
export interface ReadText {
  readonly skill: SkillText | null
  readonly problems: readonly SkillProblem[]
}

const NAME = new RegExp(SKILL_NAME_PATTERN)
const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/
const FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'triggers', 'priority']
const INTEGER = /^[+-]?\d{1,9}$/

/** Reads the text, with a problem for each field that is wrong. `text` may be hostile. */
export const readSkillText = (text: string): ReadText => {
  const lines = text.replaceAll('\r\n', '\n')
  if (text.length > SKILL_TEXT_MAX) return refused('SKILL.md', `has more than ${SKILL_TEXT_MAX} characters`)
  const hidden = hiddenIn(lines)
  if (hidden !== null) return refused('SKILL.md', `has the invisible character ${hidden}. Remove it`)
  const match = FRONT_MATTER.exec(lines)
  if (!match) return refused('SKILL.md', 'must begin with front matter between two lines of `---`')
  const fields = parsedFields(match[1] ?? '')
  if (typeof fields === 'string') return refused('SKILL.md', `has front matter that is not valid: ${fields}`)
  return new Reader(fields).read(lines.slice(match[0].length).trim())
}

const refused = (field: string, message: string): ReadText => ({ skill: null, problems: [{ field, message }] })

class Reader {
  readonly #fields: ReadonlyMap<string, Value>
  readonly #problems: SkillProblem[] = []

  constructor(fields: ReadonlyMap<string, Value>) {
    this.#fields = fields
  }

  read(body: string): ReadText {
    for (const field of this.#fields.keys())
      if (!FIELDS.includes(field)) this.#problem(field, `is no field of a skill. There are: ${FIELDS.join(', ')}`)
    const skill: SkillText = {
      name: this.#name(),
      description: this.#text('description', SKILL_DESCRIPTION_MAX) ?? this.#missing('description'),
      license: this.#text('license', SKILL_COMPATIBILITY_MAX),
      compatibility: this.#text('compatibility', SKILL_COMPATIBILITY_MAX),
      metadata: this.#metadata(),
      triggers: this.#triggers(),
      priority: this.#priority(),
      body,
    }
    this.#checkTools()
    if (body === '') this.#problem('body', 'is empty. Write the instructions below the front matter')
    if (runsCommands(body)) this.#problem('body', 'has !`…`, which Claude Code would run as a command. Remove it')
    return { skill: this.#problems.length === 0 ? skill : null, problems: this.#problems }
  }

  #problem(field: string, message: string): void {
    this.#problems.push({ field, message })
  }

  #missing(field: string): string {
    if (!this.#fields.has(field)) this.#problem(field, 'is needed')
    return ''
  }

  #name(): string {
    const name = this.#text('name', SKILL_NAME_MAX) ?? this.#missing('name')
    if (name !== '' && name.length <= SKILL_NAME_MAX && !NAME.test(name))
      this.#problem('name', 'may have lower-case letters, digits, and single hyphens between them')
    return name
  }

  #text(field: string, max: number): string | null {
    const value = this.#fields.get(field)
    if (value === undefined) return null
    if (typeof value !== 'string') this.#problem(field, 'must be a text')
    else if (value.trim() === '') this.#problem(field, 'is empty')
    else if (value.length > max) this.#problem(field, `has more than ${max} characters`)
    else return value.trim()
    return ''
  }

  #metadata(): Record<string, string> {
    const value = this.#fields.get('metadata')
    if (value === undefined) return {}
    if (!isFields(value)) {
      this.#problem('metadata', 'must be fields with texts')
      return {}
    }
    const texts: [string, string][] = []
    for (const [key, one] of value)
      if (typeof one === 'string') texts.push([key, one])
      else if (key !== 'triggers') this.#problem(`metadata.${key}`, 'must be a text')
    return Object.fromEntries(texts.filter(([key]) => key !== 'triggers' && key !== 'priority'))
  }

  /** A field at the top level, or below `metadata`. */
  #either(field: string): { readonly value: Value | undefined; readonly at: string } {
    const metadata = this.#fields.get('metadata')
    const below = isFields(metadata) ? metadata.get(field) : undefined
    const value = this.#fields.get(field)
    if (value !== undefined && below !== undefined) this.#problem(field, 'is there twice: at the top and in metadata')
    return value === undefined && below !== undefined ? { value: below, at: `metadata.${field}` } : { value, at: field }
  }

  #triggers(): string[] {
    const { value = [], at } = this.#either('triggers')
    // Metadata has texts only, so there they may be separated by commas.
    const list = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [null]
    const triggers = new Set<string>()
    for (const one of list)
      if (typeof one !== 'string') this.#problem(at, 'must be a list of texts')
      else if (one.trim().length > SKILL_TRIGGER_MAX)
        this.#problem(at, `has a trigger of more than ${SKILL_TRIGGER_MAX} characters`)
      else if (one.trim() === '') this.#problem(at, 'has an empty trigger')
      else triggers.add(one.trim().toLowerCase())
    if (triggers.size > SKILL_TRIGGERS_MAX) this.#problem(at, `has more than ${SKILL_TRIGGERS_MAX} triggers`)
    return [...triggers]
  }

  #priority(): number {
    const { value = '0', at } = this.#either('priority')
    const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : NaN
    if (Math.abs(number) <= SKILL_PRIORITY_MAX) return number
    this.#problem(at, `must be a whole number from -${SKILL_PRIORITY_MAX} to ${SKILL_PRIORITY_MAX}`)
    return 0
  }

  /** They are checked and left out: what a task may do is decided by its policy. */
  #checkTools(): void {
    const value = this.#fields.get('allowed-tools')
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
    if (value !== undefined && typeof value !== 'string' && !isList)
      this.#problem('allowed-tools', 'must be a text with tools between blanks, or a list of texts')
  }
}
