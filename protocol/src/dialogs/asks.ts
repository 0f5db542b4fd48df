/** What a program in an agent may ask people, and tell them. It arrives over the agent's relay, without a token. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import {
  AnswerDialog,
  AskableQuestion,
  DIALOG_SECONDS_MAX,
  DIALOG_TEXT_MAX,
  DIALOG_TITLE_MAX,
  DialogState,
} from './dialogs.ts'

/** Questions of an agent's programs that are open at the same time. */
export const ASKS_OPEN_PER_AGENT = 20
/** New questions of an agent's programs in a minute, after a burst of as many. */
export const ASKS_PER_MINUTE = 30
/** Closed questions of an agent's programs that are kept. Older ones are deleted. */
export const ASKS_KEPT_PER_AGENT = 1000
/** How long a question stays open without a program that waits for it, in seconds: longer than the server takes to restart. */
export const ASK_GRACE_SECONDS = 60
/** The same while a model decides whether it waits further, in seconds. */
export const ASK_MODEL_GRACE_SECONDS = 600

/** A question, with an id that the program has chosen. The same id again waits for the same question. */
export const AskPeople = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    title: Type.String({ minLength: 1, maxLength: DIALOG_TITLE_MAX }),
    message: Type.Optional(Type.String({ maxLength: DIALOG_TEXT_MAX })),
    question: AskableQuestion,
    /** After that it closes without an answer. Without it, it waits as long as the program. */
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: DIALOG_SECONDS_MAX })),
  },
  { additionalProperties: false },
)
export type AskPeople = Static<typeof AskPeople>

/** What became of a question. While it is `open`, ask again. */
export const AskedPeople = Type.Object({ id: Type.String(), state: DialogState, answer: Nullable(AnswerDialog) })
export type AskedPeople = Static<typeof AskedPeople>
