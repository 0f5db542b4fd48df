/** Variables of an agent: what its owner adds to the environment of every program in it. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from './common.ts'

/**
 * Most variables of one agent. Each secret one is masked in recordings, which look for 64 texts at most: 24 of them may be the
 * credentials of the agent, its people and the platform.
 */
export const VARIABLES_MAX = 40
/** Most characters of a value: a private key has about 3,000. */
export const VARIABLE_VALUE_MAX = 16_384
/** Most bytes of all names and values of one agent together: an eighth of what Linux takes for one program's start. */
export const VARIABLES_BYTES = 262_144

/** Most characters of a name. */
export const VARIABLE_NAME_MAX = 128
/** What a shell takes for a name, but for what the platform sets itself, and the PATH, which belongs into ~/.profile. */
export const VARIABLE_NAME_PATTERN = `^(?!(?:SLIPWAY_.*|HOME|USER|LOGNAME|SHELL|PATH|PWD|OLDPWD|SHLVL|_)$)[A-Za-z_][A-Za-z0-9_]{0,${VARIABLE_NAME_MAX - 1}}$`
export const VariableName = Type.String({ pattern: VARIABLE_NAME_PATTERN })

/** A variable's value, and whether no answer may hold it. Whatever was set before is replaced. */
export const SetVariable = Type.Object(
  {
    value: Type.String({ maxLength: VARIABLE_VALUE_MAX, pattern: '^[^\\u0000]*$' }),
    secret: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type SetVariable = Static<typeof SetVariable>

/** A variable that is set. */
export const AgentVariable = Type.Object({
  name: Type.String(),
  secret: Type.Boolean(),
  /** Null for a secret one, and for one that this server cannot read. */
  value: Nullable(Type.String()),
  /** False when it was encrypted with another secret key than this server has: it has to be set again. */
  readable: Type.Boolean(),
  setAt: Timestamp,
  /** E-mail address of the user who set it; null when the account is gone. */
  setBy: Nullable(Type.String()),
})
export type AgentVariable = Static<typeof AgentVariable>
