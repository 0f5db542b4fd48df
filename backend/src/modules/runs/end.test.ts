import { RUN_REASONS } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import type { ProgramExit } from '../../runtime/program.ts'
import type { Failure, Verdict } from '../providers/headless/headless.ts'
import { agentDeleted, containerStopped, nowShared, shareTaken } from '../sessions/ending.ts'
import { endOf, type Outcome } from './end.ts'

const NAMES = { provider: 'Claude Code', agent: 'atlas' }
const WORKED: Verdict = {
  sessionId: 's',
  result: 'Done.',
  isOver: true,
  hasWorked: true,
  failure: null,
  usage: [],
  costUsd: null,
}
const NOTHING: Verdict = { ...WORKED, result: null, isOver: false, hasWorked: false }
const failing = (failure: Partial<Failure>): Verdict => ({
  ...WORKED,
  failure: { reason: 'cli_error', message: 'it broke', status: null, resetsAt: null, ...failure },
})
const exited = (exitCode: number | null, cause: ProgramExit['cause'] = 'exited'): Outcome => ({
  kind: 'exited',
  exit: { cause, exitCode },
})

describe('a run', () => {
  it.each<[string, Outcome, Verdict, string, string]>([
    ['that did its work', exited(0), WORKED, 'completed', 'completed'],
    ['that would not exit', { kind: 'finished_without_exit' }, WORKED, 'completed', 'finished_without_exit'],
    ['that would not exit after a failure', { kind: 'finished_without_exit' }, failing({}), 'failed', 'cli_error'],
    ['that did nothing', exited(0), NOTHING, 'failed', 'finished_without_work'],
    ['without a sign-in', exited(1), failing({ reason: 'not_signed_in' }), 'failed', 'not_signed_in'],
    ['that reports an error and exits with 0', exited(0), failing({}), 'failed', 'cli_error'],
    ['at a usage limit', exited(1), failing({ reason: 'usage_limit' }), 'failed', 'usage_limit'],
    ['at its turns', exited(1), failing({ reason: 'max_turns' }), 'failed', 'max_turns'],
    ['at its budget', exited(1), failing({ reason: 'max_budget' }), 'failed', 'max_budget'],
    ['that exits with another code', exited(3), WORKED, 'failed', 'exit_code'],
    ['whose exit code is unknown', exited(null), WORKED, 'failed', 'exit_code'],
    ['whose program is missing', exited(127), NOTHING, 'failed', 'failed_to_start'],
    ['in a folder that no user has trusted', exited(77), NOTHING, 'failed', 'failed_to_start'],
    ['whose memory ran out', exited(137, 'out_of_memory'), WORKED, 'failed', 'out_of_memory'],
    ['whose container stopped', exited(null, 'container_stopped'), WORKED, 'failed', 'container_stopped'],
    ['whose time is over', { kind: 'timed_out', seconds: 5 }, WORKED, 'failed', 'timed_out'],
    ['that says nothing', { kind: 'no_first_event', seconds: 120 }, NOTHING, 'failed', 'no_first_event'],
    ['that a user ends', { kind: 'terminated', by: 'ann@example.org' }, WORKED, 'terminated', 'terminated'],
    ['whose share is revoked', { kind: 'ended', ending: shareTaken }, WORKED, 'terminated', 'access_revoked'],
    ['whose agent is shared', { kind: 'ended', ending: nowShared }, WORKED, 'terminated', 'access_revoked'],
    ['whose agent is gone', { kind: 'ended', ending: agentDeleted('atlas') }, WORKED, 'terminated', 'agent_deleted'],
    ['whose agent stops', { kind: 'ended', ending: containerStopped('atlas') }, WORKED, 'failed', 'container_stopped'],
  ])('%s ends with one reason, and with a sentence unless it completed', (_what, outcome, verdict, state, reason) => {
    const end = endOf(outcome, verdict, NAMES)
    expect([end.state, end.reason]).toEqual([state, reason])
    expect(RUN_REASONS).toContain(end.reason)
    if (state === 'completed') expect(end.error).toBeNull()
    else expect(end.error).toMatch(/\S/)
  })

  it('says until when an account has reached its limit', () => {
    const limit = failing({ reason: 'usage_limit', resetsAt: Date.parse('2026-11-25T15:00:00Z') })
    expect(endOf(exited(1), limit, NAMES).error).toContain('until 2026-11-25T15:00:00.000Z')
  })
})
