/** Variables that an agent's owner adds to the environment of every program in it. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/**
 * Most variables of one agent. Recordings mask each secret variable, and search for 64 texts at most. 24 of these may
 * be credentials of the agent, its users and the platform.
 */
export const VARIABLES_MAX = 40
/** Longest value, in characters: a private key has about 3,000. */
export const VARIABLE_VALUE_MAX = 16_384
/** Most bytes of all names and values of one agent. It is an eighth of what Linux allows for one program's start. */
export const VARIABLES_BYTES = 262_144

/** Longest name, in characters. */
export const VARIABLE_NAME_MAX = 128
/** Names that a shell accepts, except those that the platform sets, and PATH, which belongs in ~/.profile. */
export const VARIABLE_NAME_PATTERN = `^(?!(?:SLIPWAY_.*|HOME|USER|LOGNAME|SHELL|PATH|PWD|OLDPWD|SHLVL|_)$)[A-Za-z_][A-Za-z0-9_]{0,${VARIABLE_NAME_MAX - 1}}$`
export const VariableName = Type.String({ pattern: VARIABLE_NAME_PATTERN })

/** A variable's value, and whether answers must not contain it. It replaces the stored variable. */
export const SetVariable = Type.Object(
  {
    value: Type.String({ maxLength: VARIABLE_VALUE_MAX, pattern: '^[^\\u0000]*$' }),
    secret: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type SetVariable = Static<typeof SetVariable>

/** A stored variable. */
export const AgentVariable = Type.Object({
  name: Type.String(),
  secret: Type.Boolean(),
  /** Null for a secret variable, and for one that this server cannot decrypt. */
  value: Nullable(Type.String()),
  /** False if the server has another secret key than the one used for encryption: then set the variable again. */
  readable: Type.Boolean(),
  setAt: Timestamp,
  /** E-mail address of the user who set it; null if the account is gone. */
  setBy: Nullable(Type.String()),
})
export type AgentVariable = Static<typeof AgentVariable>
