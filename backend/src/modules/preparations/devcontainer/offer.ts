/**
 * What the `devcontainer.json` of a repository offers. The file is hostile: only the parts that are known and valid are
 * offered, each within a bound, and nothing is used before a user has seen it.
 */
import { type DevcontainerOffer, VARIABLE_NAME_PATTERN, VARIABLE_VALUE_MAX, VARIABLES_MAX } from '@slipway/protocol'
import { parseJsonc } from './jsonc.ts'

/** Longest file that is read, in bytes. */
export const DEVCONTAINER_BYTES = 65_536
/** Most commands that run at the same time. */
const COMMANDS_MAX = 16
/** Most characters of a command, and most arguments of one without a shell. */
const COMMAND_MAX = 4096
const ARGUMENTS_MAX = 64
const PORTS_MAX = 20
/** Most properties without a use that are named, and most characters of a name. */
const UNUSED_MAX = 30
const NAME_MAX = 100

/** Where the clone is, and what the platform allows. */
export interface OfferContext {
  /** An absolute path. */
  readonly folder: string
  readonly images: readonly string[]
}

type Commands = DevcontainerOffer['postCreateCommand']
type Fields = Readonly<Record<string, unknown>>

const NAME = new RegExp(VARIABLE_NAME_PATTERN)
/**
 * Variables that decide where keys and work are sent, or which programs run. A repository does not set them; the agent's
 * owner can.
 */
const POWERFUL =
  /^(?:.*_proxy|(?:anthropic|openai|gemini|google|claude|codex|copilot|opencode|ai_gateway|aws|azure|gh|github|git|ld|dyld|ssh|ssl|npm_config|pip|uv)_.*|node_(?:options|path|extra_ca_certs)|bash_env|env|prompt_command|ps[0-4]|ifs|shellopts|bashopts|curl_.*|requests_.*|python.*|perl.*|ruby.*|java_.*|jdk_.*|_java_.*|editor|visual|pager|browser|term.*|tmpdir|xdg_.*)$/i
/** A control character could hide a part of a text from the user who confirms it. */
const SHOWN = /^[^\p{C}]*$/u
const LINES = /^[^\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cn}\p{Co}\p{Cs}]*$/u
const KNOWN = new Set(['image', 'containerEnv', 'postCreateCommand', 'forwardPorts', 'name', '$schema'])

const nothing = (path: string, problem: string | null): DevcontainerOffer => ({
  ...{ path, problem, image: null, containerEnv: [], postCreateCommand: [], forwardPorts: [], unused: [] },
})

/** Never throws. */
export const offerIn = (path: string, text: string, context: OfferContext): DevcontainerOffer => {
  if (Buffer.byteLength(text) > DEVCONTAINER_BYTES) return nothing(path, 'The file is larger than 64 KiB.')
  let file: unknown
  try {
    file = parseJsonc(text)
  } catch {
    return nothing(path, 'The file is no JSON.')
  }
  if (!isFields(file)) return nothing(path, 'The file has no properties.')
  const unused = Object.keys(file).filter((name) => !KNOWN.has(name))
  const commands = commandsIn(fieldOf(file, 'postCreateCommand'), context)
  const env = fieldOf(file, 'containerEnv')
  if (commands === null) unused.push('postCreateCommand')
  if (env !== undefined && !isFields(env)) unused.push('containerEnv')
  return {
    ...nothing(path, null),
    image: imageIn(fieldOf(file, 'image'), context),
    containerEnv: isFields(env) ? variablesIn(env, context) : [],
    postCreateCommand: commands ?? [],
    forwardPorts: portsIn(fieldOf(file, 'forwardPorts')),
    unused: unused
      .filter((name) => SHOWN.test(name))
      .slice(0, UNUSED_MAX)
      .map((name) => name.slice(0, NAME_MAX).toWellFormed()),
  }
}

/** Whether there is something that a user has to decide about. */
export const needsDecision = ({ image, containerEnv, postCreateCommand }: DevcontainerOffer): boolean =>
  image?.isAllowed === true || containerEnv.some(({ problem }) => problem === null) || postCreateCommand.length > 0

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldOf = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

const imageIn = (image: unknown, { images }: OfferContext): DevcontainerOffer['image'] =>
  typeof image === 'string' && image !== '' && image.length <= 255 && SHOWN.test(image)
    ? { name: image, isAllowed: images.includes(image) }
    : null

/** Puts in what is known of `${…}`. Null: the text has another one. */
const substituted = (text: string, folder: string): string | null => {
  const done = text
    .replaceAll(/\$\{(?:container|local)WorkspaceFolder\}/g, folder)
    .replaceAll(/\$\{(?:container|local)WorkspaceFolderBasename\}/g, folder.slice(folder.lastIndexOf('/') + 1))
  return /\$\{(?:localEnv|containerEnv|devcontainerId)\b/.test(done) ? null : done
}

const variablesIn = (env: Fields, { folder }: OfferContext): DevcontainerOffer['containerEnv'] =>
  Object.entries(env)
    .filter(([name]) => NAME.test(name))
    .slice(0, VARIABLES_MAX)
    .map(([name, given]) => {
      const value = typeof given === 'string' ? substituted(given, folder) : null
      const shown = (value ?? (typeof given === 'string' ? given : JSON.stringify(given)))
        .slice(0, NAME_MAX)
        .replaceAll(/\p{C}/gu, '')
      const without = (problem: string) => ({ name, value: shown, problem })
      if (POWERFUL.test(name)) return without('Only the owner of the agent can set it, in its settings.')
      if (value === null) return without('Its value is not known here.')
      if (value.length > VARIABLE_VALUE_MAX || !LINES.test(value)) return without('Its value is not allowed.')
      return { name, value, problem: null }
    })

/** Null: it is none of the three forms. */
const commandsIn = (given: unknown, { folder }: OfferContext): Commands | null => {
  if (given === undefined || given === null || given === '') return []
  const named = isFields(given) ? Object.entries(given) : [[null, given] as const]
  if (named.length > COMMANDS_MAX) return null
  const commands: Commands = []
  for (const [name, one] of named) {
    const command = commandIn(one, folder)
    if (command === null || (name !== null && !(name.length <= NAME_MAX && SHOWN.test(name)))) return null
    commands.push({ name, command })
  }
  return commands
}

const commandIn = (given: unknown, folder: string): string | string[] | null => {
  if (typeof given === 'string') return textIn(given, folder)
  if (!Array.isArray(given) || given.length === 0 || given.length > ARGUMENTS_MAX) return null
  const argv = given.flatMap((one: unknown) => (typeof one === 'string' ? (textIn(one, folder) ?? []) : []))
  // A name that is an option would be one of the shell that starts it.
  return argv.length === given.length && argv[0] !== '' && !argv[0]?.startsWith('-') ? argv : null
}

const textIn = (given: string, folder: string): string | null => {
  const text = substituted(given, folder)
  return text !== null && text.length <= COMMAND_MAX && /^[^\0]*$/.test(text) && isVisible(text) ? text : null
}

/** Line ends and tabs are seen. */
const isVisible = (text: string): boolean => LINES.test(text.replaceAll(/[\n\r\t]/g, ' '))

const portsIn = (given: unknown): number[] => {
  const ports = (Array.isArray(given) ? given : []).filter(
    (port: unknown): port is number => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536,
  )
  return [...new Set(ports)].slice(0, PORTS_MAX)
}
