/** Coding CLIs, as the server knows them. */
import Type, { type Static } from 'typebox'
import { Runtime } from './agents.ts'
import { Nullable } from './common.ts'
import { CredentialService } from './credentials.ts'

export const Provider = Type.Object({
  /** What an agent's `runtime` says. */
  id: Runtime,
  /** What a terminal session's `mode` says. */
  mode: Type.String(),
  /** The name that users read. */
  label: Type.String(),
  /** The services whose keys it can use, the preferred one first. */
  services: Type.Array(CredentialService),
  /** Names of models to suggest for an agent. It may have others: only the CLI knows. */
  models: Type.Array(Type.String()),
  /** Whether an agent's `skipPermissions` changes what its terminals do. */
  canSkipPermissions: Type.Boolean(),
  /** How a user signs in within its terminal: a command of the CLI, or, where it begins with no slash, of bash. */
  signIn: Nullable(Type.String()),
})
export type Provider = Static<typeof Provider>
