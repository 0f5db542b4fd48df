/** The gate of a task: it counts as completed only if its validation passes. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Most times that a task is sent back to repair what its validation found. */
export const GATE_REPAIRS_MAX = 5

export const GateOptions = Type.Object(
  {
    repairs: Type.Integer({
      minimum: 0,
      maximum: GATE_REPAIRS_MAX,
      description: 'How often the task continues with what failed, before it ends as `failed`.',
    }),
  },
  { additionalProperties: false },
)
export type GateOptions = Static<typeof GateOptions>

/** The gate of the tasks that a schedule or a webhook starts. Null: they have none. */
export const GateRepairs = Type.Optional(Nullable(GateOptions.properties.repairs))

export const RunGate = Type.Object({
  /** How many repairs it may have. */
  repairs: Type.Integer(),
  /** How many of them have begun. */
  begun: Type.Integer(),
})
export type RunGate = Static<typeof RunGate>
