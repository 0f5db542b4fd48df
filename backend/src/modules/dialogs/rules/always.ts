/** Answers that count from then on: they make the rules that the question names. */
import type { AnswerDialog, Relation } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { allows } from '../../access/policy.ts'
import type { Caller } from '../../identity/caller.ts'
import type { DialogRow } from '../repository.ts'
import type { RuleHolder, RuleTransaction } from './repository.ts'
import type { RuleService } from './service.ts'

/** Whose rules the answer makes; null if it makes none. Throws `FORBIDDEN`. */
export const holderOfAlways = (
  caller: Caller,
  { agentId, agentName, userId }: Pick<DialogRow, 'agentId' | 'agentName' | 'userId'>,
  relation: Relation,
  answer: AnswerDialog,
): RuleHolder | null => {
  if (!('decision' in answer) || answer.always === undefined) return null
  switch (answer.always.of) {
    case 'user':
      // A rule of another user would not count for this task.
      if (userId !== caller.userId) throw forbidden('Only the user whose task asks may make a rule for their tasks.')
      return { of: 'user', id: userId }
    case 'agent':
      if (agentId === null || !allows(caller, 'agent.manage', relation))
        throw forbidden('Only the owner of the agent and admins may make rules for all tasks in it.')
      return { of: 'agent', id: agentId, name: agentName }
    case 'platform':
      if (!allows(caller, 'rules.platform')) throw forbidden('Only admins may make rules for all tasks.')
      return { of: 'platform' }
  }
}

/** Makes the rules of an answer in the transaction that stores it. Throws what `RuleService.create` throws. */
export const makeRules = async (
  tx: RuleTransaction,
  rules: Pick<RuleService, 'createIn'>,
  caller: Caller,
  { id, question, answer }: DialogRow,
  holder: RuleHolder,
): Promise<void> => {
  if (question.kind !== 'approval' || answer === null || !('decision' in answer)) return
  const { decision, always } = answer
  for (const covers of question.rules ?? []) {
    const ends = always?.expiresAt === undefined ? {} : { expiresAt: always.expiresAt }
    await rules.createIn(tx, caller, holder, { decision, covers, ...ends }, id)
  }
}

const forbidden = (message: string): AppError => new AppError('FORBIDDEN', message)
