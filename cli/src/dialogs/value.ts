/** The answer to a question, as a user writes it on a command line. */
import type { AnswerDialog, DialogQuestion } from '@slipway/protocol'
import { usage } from '../api/errors.ts'
import { objectIn } from '../ui/lines.ts'

type Value = Extract<AnswerDialog, { value: unknown }>['value']

const YES = /^(y|yes|true)$/i
const NO = /^(n|no|false)$/i

/** The server checks whether the value fits. @throws {SlipwayError} `USAGE` for what can be no answer */
export const valueFor = (question: DialogQuestion, given: readonly string[]): Value => {
  const [first = '', ...more] = given
  if (question.kind === 'select' && question.multiple) return [...given]
  if (more.length > 0) throw usage('This question takes one --value.')
  switch (question.kind) {
    case 'approval':
      throw usage('This question takes --allow or --deny.')
    case 'confirm':
      if (YES.test(first)) return true
      if (NO.test(first)) return false
      throw usage(`This question takes yes or no; ${first} is neither.`)
    case 'form': {
      const fields = objectIn(first)
      if (fields === null) throw usage('This question takes the fields of a form as JSON, such as {"name": "ann"}.')
      // The server refuses what is no value of a field.
      return fields as Value
    }
    case 'select':
    case 'input':
    case 'editor':
      return first
  }
}
