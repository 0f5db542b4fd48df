import { once } from 'node:events'
import { PATIENTLY } from '@slipway/testing'
import { it, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import type { Found } from '../agents/service.ts'
import { Preparer, type PreparerDeps } from './preparer.ts'
import type { Act } from './repository.ts'
import { PreparationService, type PreparationServiceDeps } from './service.ts'
import { type StepDeps, Steps } from './steps.ts'

const SIGN_IN = '00000000-0000-4000-8000-000000000001'
const FOUND = {
  row: { id: 'atlas', name: 'atlas' },
  caller: { userId: 'ada', email: 'ada@example.org', role: 'user', via: { kind: 'sign_in', signInId: SIGN_IN } },
} as unknown as Found
const CLONED = `${'1'.repeat(40)}\0main\0\0\0`

type State = 'cloning' | 'cancelled'
const gate = () => Promise.withResolvers<null>()

/** A preparation whose first clone goes on until it is cancelled, with a database whose statements can be held. */
const scene = () => {
  const row = {
    ...{ agentId: 'atlas', state: 'waiting', userId: 'ada', via: 'sign_in', viaId: SIGN_IN },
    ...{ url: 'https://example.org/api.git', ref: null, folder: 'api', devcontainer: 'ignore', isCloned: false },
    ...{ setupCommand: null, taskPrompt: null, variables: null, offer: null, confirmed: null, output: '' },
    changedAt: new Date(),
  }
  /** Before the first change to a state, and before the first answer about it. */
  const held = { before: new Map<State, Promise<null>>(), after: new Map<State, Promise<null>>() }
  const reached: string[] = []
  const pass = async (when: 'before' | 'after', state: string): Promise<void> => {
    const wait = held[when].get(state as State)
    held[when].delete(state as State)
    reached.push(`${when} ${state}`)
    await wait
  }
  const turn = async (_id: string, from: readonly string[], state: string, changes: object = {}) => {
    await pass('before', state)
    const now = from.includes(row.state) ? { ...Object.assign(row, changes, { state }) } : null
    await pass('after', state)
    return now
  }
  const repository = {
    turn,
    find: () => Promise.resolve({ ...row }),
    act: (_act: Act, from: readonly string[], state: string, changes: object) => turn('', from, state, changes),
  }
  const clone = async (_body: unknown, { left }: { readonly left: AbortSignal }) => {
    const isFirst = !reached.includes('clone')
    reached.push('clone')
    if (isFirst && !left.aborted) await once(left, 'abort')
    return { exitCode: 0, stdout: CLONED, stderr: '', timedOut: false }
  }
  const steps = new Steps({
    repository,
    reinstate: () => Promise.resolve(FOUND),
    execs: { run: clone },
    activity: { saw: () => undefined },
    images: () => [],
    newId: () => 'attempt',
  } as unknown as StepDeps)
  const preparer = new Preparer({
    ...{ repository, steps, log: silentLog },
    board: { get: () => ({ runningId: 'container' }) },
    recovered: () => Promise.resolve(true),
    provisioner: { secrets: () => Promise.resolve([]) },
    news: { emit: () => undefined },
  } as unknown as PreparerDeps)
  const service = new PreparationService({ repository, preparer, log: silentLog } as unknown as PreparationServiceDeps)
  const until = (what: string) => vi.waitUntil(() => reached.includes(what), PATIENTLY)
  return { row, held, until, preparer, service }
}

/** Lets all run that nothing holds: the scene waits for nothing but promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('a clone that begins while it is cancelled and tried again is no state of the next attempt', async () => {
  const { row, held, until, preparer, service } = scene()
  const beginning = gate()
  held.before.set('cloning', beginning.promise)
  preparer.add('atlas')
  await until('before cloning')
  const again = service.cancel(FOUND).then(() => service.retry(FOUND))
  await settled()
  beginning.resolve(null)
  await again
  await vi.waitUntil(() => row.state === 'ready', PATIENTLY)
})

it('a cancellation whose answer is late does not end the attempt that follows it', async () => {
  const { row, held, until, preparer, service } = scene()
  const cancelled = gate()
  held.after.set('cancelled', cancelled.promise)
  preparer.add('atlas')
  await until('clone')
  const cancelling = service.cancel(FOUND)
  await until('after cancelled')
  const retrying = service.retry(FOUND)
  await settled()
  cancelled.resolve(null)
  await Promise.all([cancelling, retrying])
  await vi.waitUntil(() => row.state === 'ready', PATIENTLY)
})
