/** What the tools take with which a model asks people, over the MCP server of its agent. */
import Type, { type Static, type TProperties } from 'typebox'
import {
  DIALOG_FIELDS_MAX,
  DIALOG_OPTIONS_MAX,
  DIALOG_SECONDS_MAX,
  DIALOG_TEXT_MAX,
  DIALOG_TITLE_MAX,
} from './dialogs.ts'

const closed = { additionalProperties: false } as const
const text = (maxLength: number) => Type.String({ maxLength })

const ASKED = {
  title: Type.String({ minLength: 1, maxLength: DIALOG_TITLE_MAX }),
  message: Type.Optional(text(DIALOG_TEXT_MAX)),
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: DIALOG_SECONDS_MAX })),
}
const asked = <P extends TProperties>(more: P) => Type.Object({ ...ASKED, ...more }, closed)

/** `label`: what people see; without it, the value. */
const Option = Type.Object(
  { value: text(1000), label: Type.Optional(text(1000)), description: Type.Optional(text(DIALOG_TEXT_MAX)) },
  closed,
)
const options = Type.Array(Option, { minItems: 1, maxItems: DIALOG_OPTIONS_MAX })

export const AskConfirm = asked({})
export const AskSelect = asked({ options, multiple: Type.Optional(Type.Boolean({ default: false })) })
export const AskInput = asked({ placeholder: Type.Optional(text(1000)) })
export const AskEditor = asked({ prefill: Type.Optional(text(DIALOG_TEXT_MAX)) })
export const AskForm = asked({
  fields: Type.Array(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 200 }),
        label: Type.Optional(text(1000)),
        description: Type.Optional(text(DIALOG_TEXT_MAX)),
        type: Type.Optional(Type.Enum(['string', 'number', 'integer', 'boolean', 'select'] as const)),
        required: Type.Optional(Type.Boolean()),
        options: Type.Optional(options),
        multiple: Type.Optional(Type.Boolean()),
        custom: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    { minItems: 1, maxItems: DIALOG_FIELDS_MAX },
  ),
})
export const WaitForAnswer = Type.Object({ question_id: Type.String({ format: 'uuid' }) }, closed)

export type AskedTitle = Static<typeof AskConfirm>
export type AskOption = Static<typeof Option>
export type AskField = Static<typeof AskForm>['fields'][number]
