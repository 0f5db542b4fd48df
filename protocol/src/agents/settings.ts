/** The settings of an agent, their defaults and the choices of an installation. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import { AgentPolicy } from '../tasks/policies.ts'
import {
  KEEP_SECONDS_DEFAULT,
  KEEP_SECONDS_MAX,
  TERMINALS_PER_USER_DEFAULT,
  TERMINALS_PER_USER_MAX,
} from '../terminal/terminal.ts'
import { Model, Runtime } from './names.ts'

/** Smallest memory in MiB with which the engine starts a container and a shell is usable. */
export const MEMORY_MB_MIN = 64

/** Settings that an agent's owner chooses. Each setting is declared only here and in the database's schema. */
const settings = {
  runtime: Runtime,
  model: Nullable(Model),
  /** Whether the CLI runs with its permission prompts off. */
  skipPermissions: Type.Boolean(),
  /** What the CLIs of its tasks may do without asking. A task may be stricter, but not laxer. Null: `skipPermissions` decides. */
  policy: Nullable(AgentPolicy),
  /** Whether its programs get the keys that are set. If not, users log in inside the terminal. */
  useCredentials: Type.Boolean(),
  /** Whether its programs get the GitHub and git tokens that are set. */
  useGitToken: Type.Boolean(),
  /** Whether what a task has changed is committed when it has completed. Nothing is pushed. */
  autoCommit: Type.Boolean(),
  /** An image of the platform's list; null for the platform's default. */
  image: Nullable(Type.String({ minLength: 1, maxLength: 255 })),
  cpus: Type.Number({ minimum: 0.1, maximum: 1024 }),
  memoryMb: Type.Integer({ minimum: MEMORY_MB_MIN, maximum: 4_194_304 }),
  /** How long a terminal waits for a user who lost the connection before it ends, in seconds. */
  keepSeconds: Type.Integer({ minimum: 0, maximum: KEEP_SECONDS_MAX }),
  /** How many terminals each user may have in it at the same time. A lower number ends none that is open. */
  terminalsPerUser: Type.Integer({ minimum: 1, maximum: TERMINALS_PER_USER_MAX }),
  /** Whether the output of its terminals is recorded. */
  record: Type.Boolean(),
  /** Whether their input is recorded, too. */
  recordInput: Type.Boolean(),
}
export const AgentSettings = Type.Object(settings)
export type AgentSettings = Static<typeof AgentSettings>

/** The default settings of an agent. CPUs and memory depend on the installation. */
export const AGENT_DEFAULTS: Omit<AgentSettings, 'runtime' | 'cpus' | 'memoryMb'> = {
  model: null,
  skipPermissions: true,
  policy: null,
  useCredentials: true,
  useGitToken: false,
  autoCommit: false,
  image: null,
  keepSeconds: KEEP_SECONDS_DEFAULT,
  terminalsPerUser: TERMINALS_PER_USER_DEFAULT,
  record: false,
  recordInput: false,
}

/** The settings among the fields of an object; absent ones stay absent. */
export const settingsOf = <T extends Partial<AgentSettings>>(from: T): Pick<T, keyof T & keyof AgentSettings> =>
  Object.fromEntries(
    Object.keys(settings).flatMap((name) => {
      const value = from[name as keyof AgentSettings]
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Pick<T, keyof T & keyof AgentSettings>

/** A change contains only the fields that change. */
const CHANGE = { additionalProperties: false, minProperties: 1 }
export const UpdateAgent = Type.Partial(AgentSettings, CHANGE)
export type UpdateAgent = Static<typeof UpdateAgent>

/** The system agent never skips permissions, has no tasks, and always uses the platform's credentials. */
export const UpdateSystemAgent = Type.Partial(
  Type.Omit(AgentSettings, ['skipPermissions', 'policy', 'useCredentials', 'useGitToken', 'autoCommit']),
  CHANGE,
)
export type UpdateSystemAgent = Static<typeof UpdateSystemAgent>

/** The possible settings of an agent on this installation. The create form reads its choices and defaults from it. */
export const AgentOptions = Type.Object({
  runtimes: Type.Array(Type.Object({ id: Runtime, label: Type.String() })),
  images: Type.Array(Type.String()),
  cpus: Type.Object({ default: Type.Number(), max: Type.Number() }),
  memoryMb: Type.Object({ default: Type.Integer(), max: Type.Integer() }),
  suggestedName: Type.String({ description: 'A random name that no agent has now.' }),
})
export type AgentOptions = Static<typeof AgentOptions>
