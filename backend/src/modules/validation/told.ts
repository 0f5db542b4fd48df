/** What gates and the events of tasks are told of a validation. */
import type { RunHappening } from '@slipway/protocol'
import { foundIn } from '../runs/gate/decide.ts'
import { checkEvents } from '../runs/gate/events.ts'
import type { Judged } from '../runs/gate/judged.ts'
import type { RunRow } from '../runs/repository.ts'
import type { Ended } from './runner.ts'
import { REASONS } from './verdict.ts'

/** A verdict as a gate needs it. */
export const judgedOf = ({ verdict, evidence, isPersonal }: Omit<Ended, 'error'>): Judged & { kind: 'judged' } => ({
  ...{ kind: 'judged', ...verdict, evidence, personal: isPersonal },
  message: verdict.reason && REASONS[verdict.reason],
})

/** A validation as events of a run that has ended. What is its user's own is left out where others may see the run. */
export const toldOf = (run: Pick<RunRow, 'personal'>, ended: Ended): RunHappening[] => {
  const judged = judgedOf(ended)
  return [
    ...checkEvents(ended.evidence.checks, !ended.isPersonal || run.personal),
    { type: 'validation', state: ended.verdict.state, message: foundIn(judged), repair: null },
  ]
}
