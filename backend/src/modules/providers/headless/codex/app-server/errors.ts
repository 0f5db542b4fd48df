/** The failures that `codex app-server` tells of. */
import { fieldsIn, integerIn, textIn } from '../../parts/json.ts'
import type { Told } from '../failure.ts'

/** The sentence of a failure, as `codex exec` prints it, and what is known besides. */
export const errorIn = (value: unknown): { readonly message: string; readonly told: Told } => {
  const error = fieldsIn(value)
  const sentence = textIn(error.message) ?? 'The turn failed.'
  const details = textIn(error.additionalDetails)
  const [code = null, more] = Object.entries(fieldsIn(error.codexErrorInfo))[0] ?? [textIn(error.codexErrorInfo)]
  return {
    message: details === null || details === '' ? sentence : `${sentence} (${details})`,
    told: { code, status: integerIn(fieldsIn(more).httpStatusCode) },
  }
}
