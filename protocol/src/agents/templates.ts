/** Templates of agents, which admins make: what a new agent is and begins with. */
import Type, { type Static } from 'typebox'
import { AgentSettings } from './settings.ts'
import { Runtime } from './names.ts'
import { Nullable, Timestamp } from '../common.ts'
import { AgentRepository, AgentTemplateName, SetupCommand } from './preparation.ts'
import { SetVariable, VARIABLE_VALUE_MAX, VariableName, VARIABLES_MAX } from './variables.ts'

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
  /** Every user sees their values. With the secret ones there may be {@link VARIABLES_MAX}. */
  variables: Type.Array(
    Type.Object({ name: VariableName, value: SetVariable.properties.value }, { additionalProperties: false }),
    { maxItems: VARIABLES_MAX },
  ),
}

/** No answer has its value. Without a value it keeps the one that it has. */
const SetSecretVariable = Type.Object(
  {
    name: VariableName,
    value: Type.Optional(Type.String({ minLength: 1, maxLength: VARIABLE_VALUE_MAX, pattern: '^[^\\u0000]+$' })),
  },
  { additionalProperties: false },
)

export const SetAgentTemplate = Type.Object(
  {
    ...fields,
    /** Variables with values that no answer contains. Those that are not named are removed. */
    secretVariables: Type.Optional(Type.Array(SetSecretVariable, { maxItems: VARIABLES_MAX })),
  },
  { additionalProperties: false },
)
export type SetAgentTemplate = Static<typeof SetAgentTemplate>

export const AgentTemplate = Type.Object({
  name: AgentTemplateName,
  ...fields,
  /** Without their values. An agent that is made of the template gets them as its own secret variables. */
  secretVariables: Type.Array(Type.Object({ name: VariableName, setAt: Timestamp })),
  updatedAt: Timestamp,
})
export type AgentTemplate = Static<typeof AgentTemplate>
