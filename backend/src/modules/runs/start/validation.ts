/** What a request asks for as the validation of its run. */
import type { RunRequest } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { allows } from '../../access/policy.ts'
import type { Found } from '../../agents/service.ts'
import type { NewRun } from '../new-run.ts'

/** Its part of the row. Throws `FORBIDDEN` if the caller may not validate there: it runs programs, as a terminal does. */
export const validationOf = (
  { caller, relation }: Pick<Found, 'caller' | 'relation'>,
  body: RunRequest,
): Pick<NewRun, 'validate' | 'validation'> => {
  // What a gate needs is validated.
  const { validate = 'gate' in body } = body
  if (validate === false) return {}
  if (!allows(caller, 'task.validate', relation))
    throw new AppError('FORBIDDEN', 'To validate a task, an API token needs the scopes tasks:write and terminal.')
  return { validate: validate === true ? {} : validate, validation: 'waiting' }
}
