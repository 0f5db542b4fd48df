import {
  VARIABLE_NAME_MAX,
  VARIABLE_NAME_PATTERN,
  VARIABLE_VALUE_MAX,
  type Agent,
  type AgentVariable,
} from '@slipway/protocol'

const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/
const allowedName = new RegExp(VARIABLE_NAME_PATTERN)
const NUMBER = new Intl.NumberFormat('en')

/** What is wrong with the name of a new variable, or null. `taken`: the names of the agent's variables. */
export function variableNameProblem(name: string, taken: readonly string[]): string | null {
  if (name === '') return 'Enter a name.'
  if (!shellName.test(name)) return 'Use letters, digits and underscores, with no digit first.'
  if (name.length > VARIABLE_NAME_MAX) return `Use at most ${VARIABLE_NAME_MAX} characters.`
  if (name === 'PATH') return 'The platform sets PATH. To extend it, edit ~/.profile in the agent.'
  if (!allowedName.test(name)) return `The platform sets ${name}. Use another name.`
  return taken.includes(name) ? `${name} is already set. Change it in the list.` : null
}

/** What is wrong with a value, or null. A plain variable can be empty; a secret one that is empty was forgotten. */
export function variableValueProblem(value: string, secret: boolean): string | null {
  if (secret && value === '') return 'Enter a value.'
  if (value.includes('\0')) return 'Remove the NUL character.'
  if (value.length <= VARIABLE_VALUE_MAX) return null
  return `Use at most ${NUMBER.format(VARIABLE_VALUE_MAX)} characters. This value has ${NUMBER.format(value.length)}.`
}

/** Says what a user may have pasted by mistake, or null: space around a value is kept, and breaks most tokens. */
export function variableValueHint(value: string): string | null {
  const starts = /^\s/.test(value)
  const ends = /\s$/.test(value)
  if (!starts && !ends) return null
  const where = starts && ends ? 'starts and ends' : starts ? 'starts' : 'ends'
  return `The value ${where} with a space or a line break, which is kept.`
}

/**
 * The names of the variables that keep the owner's own credentials out of an agent: another user set them, or a user whose
 * account is gone. None of the system agent, where no user's own credentials are used.
 */
export const namesByOthers = ({ owner }: Pick<Agent, 'owner'>, variables: readonly AgentVariable[]): string[] =>
  owner === null ? [] : variables.filter(({ setBy }) => setBy !== owner.email).map(({ name }) => name)
