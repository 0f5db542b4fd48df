/** What the grade of a question and the rules of people say, before anybody is asked. */
import type { AnswerDialog, DialogQuestion, QuestionOf, RunPolicy } from '@slipway/protocol'
import type { Tier } from '../../dialogs/grading/reasons.ts'
import { gradeOfTool } from '../../dialogs/grading/tools.ts'
import { type Asked, type Asking, rulingOf } from '../../dialogs/rules/matching/ruling.ts'
import { rulesFor } from '../../dialogs/rules/matching/suggest.ts'
import { textOfRules } from '../../dialogs/rules/sentences.ts'
import type { RuleService } from '../../dialogs/rules/service.ts'
import type { Ask } from '../../providers/headless/headless.ts'
import type { AskingRun } from './asking-run.ts'

/** The highest tier that needs no person and no rule beside a command that has a rule. */
export const passesOf = (policy: RunPolicy): Tier => (policy === 'tiers' ? 1 : 0)

const askingOf = ({ folder, policy }: Pick<AskingRun, 'folder' | 'policy'>): Asking => ({
  folder,
  passes: passesOf(policy),
})

/** What is asked for, once for each file that it would change. */
const partsOf = <Question extends object>(
  question: Question,
  files: Ask['files'],
): readonly (Question & { readonly isDeleted: boolean })[] =>
  files === undefined || files.length === 0
    ? [{ ...question, isDeleted: false }]
    : files.map((file) => ({ ...question, ...file }))

/** The question with its tier, and with the rules that a card offers. */
export const graded = ({ question, files }: Ask, run: Pick<AskingRun, 'folder' | 'policy'>): DialogQuestion => {
  if (question.kind !== 'approval') return question
  const parts = partsOf(question, files)
  const { tier, reasons } = parts
    .map((part) => gradeOfTool(part, run.folder))
    .reduce((worst, one) => (one.tier > worst.tier ? one : worst))
  const [part, ...others] = parts.map((one) => ({ ...one, tier }))
  // One rule is about one place.
  const rules = part === undefined || others.length > 0 ? [] : rulesFor(part, askingOf(run))
  return { ...question, tier, reasons: [...reasons], rules }
}

/** A question that has its grade. */
interface Graded {
  readonly question: DialogQuestion
  readonly files?: Ask['files']
}

/** The answer that rules give, and a sentence that names them; null if they decide nothing. */
export const ruled = async (
  rules: Pick<RuleService, 'inForce'>,
  { question, files }: Graded,
  run: Pick<AskingRun, 'folder' | 'policy' | 'about'>,
): Promise<{ readonly answer: AnswerDialog; readonly text: string } | null> => {
  if (question.kind !== 'approval') return null
  const { userId, agentId: id, agentName: name } = run.about()
  const inForce = await rules.inForce(userId, { id, name })
  const asked: readonly Asked[] = partsOf<QuestionOf<'approval'>>(question, files)
  const rulings = asked.map((one) => rulingOf(one, askingOf(run), inForce))
  const denial = rulings.find((ruling) => ruling?.decision === 'deny')
  if (denial) {
    const by = textOfRules(denial.rules)
    return { answer: { decision: 'deny', reason: `This is denied by ${by}` }, text: `Denied by ${by}` }
  }
  // All of its files must be allowed.
  const allowing = rulings.flatMap((ruling) => (ruling ? [...ruling.rules] : []))
  if (rulings.includes(null)) return null
  return { answer: { decision: 'allow' }, text: `Allowed by ${textOfRules([...new Set(allowing)])}` }
}
