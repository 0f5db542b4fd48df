/** Templates of agents, which admins make: what a new agent is and begins with. */
import Type, { type Static } from 'typebox'
import { AgentSettings, Runtime } from './agents.ts'
import { Nullable, Timestamp } from './common.ts'
import { AgentRepository, AgentTemplateName, SetupCommand } from './preparation.ts'
import { SetVariable, VariableName, VARIABLES_MAX } from './variables.ts'

/** Most templates of a platform: more than people choose among. */
export const AGENT_TEMPLATES_MAX = 50

const fields = {
  /** For those who choose it. */
  description: Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
  /** Settings that are missing are the platform's defaults. */
  settings: Type.Object(
    { ...Type.Partial(AgentSettings).properties, runtime: Runtime },
    { additionalProperties: false },
  ),
  repository: Nullable(AgentRepository),
  setupCommand: Nullable(SetupCommand),
  /** Every user sees their values. */
  variables: Type.Array(
    Type.Object({ name: VariableName, value: SetVariable.properties.value }, { additionalProperties: false }),
    { maxItems: VARIABLES_MAX },
  ),
}

export const SetAgentTemplate = Type.Object(fields, { additionalProperties: false })
export type SetAgentTemplate = Static<typeof SetAgentTemplate>

export const AgentTemplate = Type.Object({ name: AgentTemplateName, ...fields, updatedAt: Timestamp })
export type AgentTemplate = Static<typeof AgentTemplate>
