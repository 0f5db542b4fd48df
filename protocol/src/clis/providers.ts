/** The coding CLIs that the server knows. */
import Type, { type Static } from 'typebox'
import { Runtime } from '../agents/names.ts'
import { Nullable } from '../common.ts'
import { CredentialService } from './credentials.ts'

export const Provider = Type.Object({
  /** The value of an agent's `runtime`. */
  id: Runtime,
  /** The value of a terminal session's `mode`. */
  mode: Type.String(),
  /** The name that users read. */
  label: Type.String(),
  /** The services whose keys it can use, the preferred one first. */
  services: Type.Array(CredentialService),
  /** Model names that the create form suggests. There may be others, which only the CLI knows. */
  models: Type.Array(Type.String()),
  /** Whether an agent's `skipPermissions` has an effect on its terminals. */
  canSkipPermissions: Type.Boolean(),
  /** Whether its tasks can ask people, with the policies `tiers` and `ask`. */
  canAskPeople: Type.Boolean(),
  /** Whether its tasks can only plan, with the policy `plan`. */
  canPlan: Type.Boolean(),
  /**
   * How a user signs in within its terminal. A text with a leading slash is a command of the CLI, any other one of
   * bash.
   */
  signIn: Nullable(Type.String()),
})
export type Provider = Static<typeof Provider>
