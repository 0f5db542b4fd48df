/** What a client sends to the terminal of a run. */
import Type, { type Static } from 'typebox'
import { COLS_MAX, MAX_INPUT_BYTES, ROWS_MAX } from '../terminal/terminal.ts'

/** Keys as a terminal sends them, for example `"y\r"`. At most {@link MAX_INPUT_BYTES} UTF-16 code units. */
export const RunInput = Type.Object(
  { data: Type.String({ minLength: 1, maxLength: MAX_INPUT_BYTES }) },
  { additionalProperties: false },
)
export type RunInput = Static<typeof RunInput>

export const RunSize = Type.Object(
  {
    cols: Type.Integer({ minimum: 2, maximum: COLS_MAX }),
    rows: Type.Integer({ minimum: 1, maximum: ROWS_MAX }),
  },
  { additionalProperties: false },
)
export type RunSize = Static<typeof RunSize>

const message = <T extends string>(type: T) => ({
  type: Type.Literal(type),
  sessionId: Type.String({ maxLength: 36 }),
})

/** The same as messages on `WS /api/events`. A refusal comes as `coding-agent:session:error`. */
export const RunInputMessage = Type.Object(
  { ...message('coding-agent:input'), ...RunInput.properties },
  { additionalProperties: false },
)
export const RunResizeMessage = Type.Object(
  { ...message('coding-agent:resize'), ...RunSize.properties },
  { additionalProperties: false },
)
