/** Named prompts with fields, to begin tasks with. */
import Type, { type Static } from 'typebox'
import { Timestamp } from '../common.ts'
import { TEMPLATE_MAX } from './prompt-fields.ts'

/** Most templates of one user, and of the platform. */
export const TEMPLATES_MAX = 50
/** Longest prompt in the list, in UTF-16 code units. The rest is cut there. */
export const TEMPLATE_SHOWN = 200

const WRITTEN = '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$'

export const CreatePromptTemplate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: WRITTEN }),
    prompt: Type.String({
      minLength: 1,
      maxLength: TEMPLATE_MAX,
      pattern: WRITTEN,
      description: 'A text in which `{{ticket}}` stands for a field that its user fills in.',
    }),
  },
  { additionalProperties: false },
)
export type CreatePromptTemplate = Static<typeof CreatePromptTemplate>

export const UpdatePromptTemplate = Type.Partial(CreatePromptTemplate, { additionalProperties: false })
export type UpdatePromptTemplate = Static<typeof UpdatePromptTemplate>

export const PromptTemplate = Type.Object({
  id: Type.String(),
  /** `platform`: admins make it for all users. */
  of: Type.Enum(['user', 'platform'] as const),
  name: Type.String(),
  prompt: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PromptTemplate = Static<typeof PromptTemplate>
