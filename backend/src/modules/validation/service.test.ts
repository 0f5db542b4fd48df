import { setImmediate } from 'node:timers/promises'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { aborted } from '../../lib/aborted.ts'
import { silentLog } from '../../lib/log.ts'
import type { Caller } from '../identity/caller.ts'
import type { Asked } from '../runs/gate/gates.ts'
import { NO_EVIDENCE } from './plan/plan.ts'
import { ENDED_PER_AGENT_MAX, type Ended, ValidationRunner } from './runner.ts'
import { type ValidationDeps, ValidationService } from './service.ts'
import { Validator } from './validator.ts'

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
  const verdicts = vi.fn()
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
    metrics: { ended: verdicts },
    log: silentLog,
  } as unknown as ValidationDeps)
  return { service, run, end, add, verdicts, told: () => telling.resolve(undefined) }
}

it.each(['cancelled', 'interrupted'] as const)(
  'a validation can be %s if the events of the one before were still being written when it began',
  async (reason) => {
    const { service, run, end, verdicts, told } = scene()
    await service.start(CALLER, 'run', {})
    await vi.waitUntil(() => end.mock.calls.length === 1, PATIENTLY)
    await service.start(CALLER, 'run', {})
    expect(run).toHaveBeenCalledTimes(2)
    told()
    await setImmediate()
    await (reason === 'cancelled' ? service.cancel(CALLER, 'run') : service.stop())
    const second = { runId: 'run', attempt: 'attempt-2' }
    expect(end).toHaveBeenLastCalledWith(second, { state: 'not_verified', reason }, NO_EVIDENCE, new Date(0))
    // Each is counted with its verdict.
    expect(verdicts.mock.calls).toEqual([['passed'], ['not_verified']])
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

/** One agent with the real runner. Each validation passes once `pass` was called. `due` are tasks that wait for theirs. */
const crowd = (due: readonly string[] = []) => {
  const passing = Promise.withResolvers<undefined>()
  const begun: string[] = []
  const found = { row: { id: 'agent' } }
  const runOf = (id: string) => ({
    ...{ id, mode: 'interactive', state: 'completed', validation: null, endedAt: new Date() },
    ...{ userId: 'ada', agentId: 'agent', via: 'user', viaId: 'ada' },
  })
  const repository = {
    begin: ({ runId }: { runId: string }) => Promise.resolve(begun.push(runId) > 0),
    beginAtGate: ({ runId }: { runId: string }) => Promise.resolve({ run: runOf(runId), options: {} }),
    due: () => Promise.resolve(due.filter((id) => !begun.includes(id)).map((id) => ({ run: runOf(id), options: {} }))),
    end: vi.fn(() => Promise.resolve()),
    interruptLost: () => Promise.resolve(0),
    progress: () => Promise.resolve(),
    find: () => Promise.resolve(null),
  }
  const audited = vi.fn(() => Promise.resolve())
  const rights = { isLost: false }
  const validate = async ({ found: standing }: { found: () => Promise<unknown> }) => {
    await standing()
    await passing.promise
    return { verdict: PASSED.verdict, evidence: NO_EVIDENCE }
  }
  const runner = new ValidationRunner({ validator: { validate }, repository, log: silentLog } as never)
  const service: ValidationService = new ValidationService({
    ...{ runner, repository, log: silentLog, clock: { now: () => 0 } },
    ...{ recovered: Promise.resolve(), reinstate: () => Promise.resolve(rights.isLost ? null : found) },
    runs: {
      require: (_: Caller, id: string) => Promise.resolve({ run: { ...runOf(id), validation: 'passed' }, found }),
    },
    audit: { recordNow: audited },
    freed: () => void service.look(),
    newId: () => crypto.randomUUID(),
  } as unknown as ValidationDeps)
  return { service, repository, begun, audited, rights, pass: () => passing.resolve(undefined) }
}
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `task-${at}`)
/** How many stored verdicts say that the validation passed. */
const passedIn = ({ end }: ReturnType<typeof crowd>['repository']): number =>
  end.mock.calls.filter((call: unknown[]) => (call[1] as Ended['verdict']).state === 'passed').length

describe('the validations of one agent', () => {
  it('wait for their turn if all of its tasks with a gate end at once, and each gets its own verdict', async () => {
    const { service, pass } = crowd()
    const { signal } = new AbortController()
    const tasks = numbered(ENDED_PER_AGENT_MAX + 3)
    const asked = tasks.map((id) => ({ held: { id, generation: 1 }, workedMs: 0, signal }) satisfies Asked)
    const answers = Promise.all(asked.map((one) => service.judge(one)))
    pass()
    expect((await answers).map((answer) => 'state' in answer && answer.state)).toEqual(tasks.map(() => 'passed'))
  })

  it('end without a verdict of the project if their user loses the right while they wait, also with a gate', async () => {
    const { service, rights, pass } = crowd()
    const { signal } = new AbortController()
    const judge = (id: string) => service.judge({ held: { id, generation: 1 }, workedMs: 0, signal })
    const first = judge('task-0')
    await setImmediate()
    const second = judge('task-1')
    rights.isLost = true
    pass()
    expect(await Promise.all([first, second])).toMatchObject([
      { state: 'passed' },
      { state: 'not_verified', reason: 'not_started' },
    ])
  })

  it('are refused from a number on if users ask for them, before anything is recorded', async () => {
    const { service, audited, repository, begun, pass } = crowd()
    const tasks = numbered(ENDED_PER_AGENT_MAX)
    await Promise.all(tasks.map((id) => service.start(CALLER, id, {})))
    expect(begun).toEqual(tasks)
    const one = service.start(CALLER, 'one-more', {})
    await expect(one).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 10 })
    expect([begun.length, audited.mock.calls.length]).toEqual([tasks.length, tasks.length])
    pass()
    await vi.waitUntil(() => passedIn(repository) === tasks.length, PATIENTLY)
    await service.start(CALLER, 'one-more', {})
    expect(begun).toContain('one-more')
  })

  it('stay in the database if more tasks end than may wait, and begin when there is room', async () => {
    const tasks = numbered(ENDED_PER_AGENT_MAX + 3)
    const { service, repository, begun, pass } = crowd(tasks)
    await service.look()
    expect(begun).toEqual(tasks.slice(0, ENDED_PER_AGENT_MAX))
    pass()
    await vi.waitUntil(() => passedIn(repository) === tasks.length, PATIENTLY)
    expect(begun).toEqual(tasks)
  })
})

it('the commands of a validation begin one by one, and none after its user has lost the right', async () => {
  const manifest = {
    ...{ packageManager: null, name: null, hasWorkspaces: false, hasDependencies: false, isInstalled: true },
    scripts: { build: 'true', test: 'true' },
  }
  const facts = {
    ...{ root: '/home/developer', prefix: '', manifests: { '': manifest }, truncated: false },
    ...{ files: ['package-lock.json'], programs: ['npm'], command: null },
  }
  const ran: unknown[] = []
  let isLost = false
  const validator = new Validator({
    agents: { snapshot: () => ({ runningId: 'container', reason: null }) },
    provisioner: { taskSecrets: () => Promise.resolve([]) },
    runtime: { run: () => Promise.resolve({ exitCode: 0, stdout: Buffer.from(JSON.stringify(facts)) }) },
    execs: {
      run: async ({ argv }: { argv: string[] }, waiting: { caller: () => Promise<Caller> }) => {
        await waiting.caller()
        ran.push(argv)
        isLost = true
        return { exitCode: 0, durationMs: 1, timedOut: false, outOfMemory: false }
      },
    },
    ...{ folder: '/nonexistent', log: silentLog },
  } as never)
  const validated = validator.validate({
    ...{ run: { id: 'run', cwd: '/home/developer' }, options: {}, signal: new AbortController().signal },
    found: () => (isLost ? Promise.reject(new Error('lost')) : Promise.resolve({ caller: CALLER, row: {} } as never)),
    ...{ progress: () => Promise.resolve(), personal: () => undefined, live: () => undefined },
  })
  await expect(validated).rejects.toThrow('lost')
  expect(ran).toEqual([['npm', 'run', 'build']])
})
