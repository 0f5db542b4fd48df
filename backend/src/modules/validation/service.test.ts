import { setImmediate } from 'node:timers/promises'
import { PATIENTLY } from '@slipway/testing'
import { expect, it, vi } from 'vitest'
import { aborted } from '../../lib/aborted.ts'
import { silentLog } from '../../lib/log.ts'
import type { Caller } from '../identity/caller.ts'
import { NO_EVIDENCE } from './plan.ts'
import type { Ended } from './runner.ts'
import { type ValidationDeps, ValidationService } from './service.ts'

const CALLER = { userId: 'ada', via: { kind: 'user', id: 'ada' } } as unknown as Caller
const PASSED: Ended = {
  verdict: { state: 'passed', reason: null },
  evidence: NO_EVIDENCE,
  isPersonal: false,
  error: null,
}

/** The first validation has its verdict at once, and its events take until `told` is called. The second one runs until it is ended. */
const scene = () => {
  const telling = Promise.withResolvers<undefined>()
  const run = vi
    .fn<ValidationDeps['runner']['run']>()
    .mockResolvedValueOnce(PASSED)
    .mockImplementation(async (_attempt, _job, signal) => {
      await aborted(signal)
      return { ...PASSED, verdict: { state: 'not_verified', reason: signal.reason as 'cancelled' | 'interrupted' } }
    })
  const end = vi.fn(() => Promise.resolve())
  const add = vi.fn<ValidationDeps['transcripts']['add']>(async () => undefined)
  add.mockImplementationOnce(() => telling.promise)
  let ids = 0
  const service = new ValidationService({
    runs: {
      require: () =>
        Promise.resolve({
          run: { id: 'run', mode: 'auto', validation: 'passed', endedAt: new Date() },
          found: { row: {} },
        }),
    },
    repository: { begin: () => Promise.resolve(true), end, find: () => Promise.resolve(null) },
    runner: { run, live: () => null },
    transcripts: { add },
    audit: { recordNow: () => Promise.resolve() },
    newId: () => `attempt-${(ids += 1)}`,
    clock: { now: () => 0 },
    log: silentLog,
  } as unknown as ValidationDeps)
  return { service, run, end, add, told: () => telling.resolve(undefined) }
}

it.each(['cancelled', 'interrupted'] as const)(
  'a validation can be %s if the events of the one before were still being written when it began',
  async (reason) => {
    const { service, run, end, told } = scene()
    await service.start(CALLER, 'run', {})
    await vi.waitUntil(() => end.mock.calls.length === 1, PATIENTLY)
    await service.start(CALLER, 'run', {})
    expect(run).toHaveBeenCalledTimes(2)
    told()
    await setImmediate()
    await (reason === 'cancelled' ? service.cancel(CALLER, 'run') : service.stop())
    const second = { runId: 'run', attempt: 'attempt-2' }
    expect(end).toHaveBeenLastCalledWith(second, { state: 'not_verified', reason }, NO_EVIDENCE, new Date(0))
  },
)

it('a validation that has ended is not cancelled while its events are being written, and loses none', async () => {
  const { service, end, add, told } = scene()
  await service.start(CALLER, 'run', {})
  await vi.waitUntil(() => add.mock.calls.length === 1, PATIENTLY)
  await expect(service.cancel(CALLER, 'run')).rejects.toMatchObject({ code: 'WRONG_STATE' })
  expect(add.mock.calls[0]?.[2]).toMatchObject({ aborted: false })
  expect(end).toHaveBeenCalledTimes(1)
  told()
})
