// @vitest-environment happy-dom
import type { Agent, CodingSession, Provider } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { readMessagePrompt } from '@/api/git/git.ts'
import { listProviders } from '@/api/tasks/providers.ts'
import { endTask, readTask, startTask } from '@/api/tasks/tasks.ts'
import { useMessageTask } from './useMessageTask.ts'

vi.mock('@/api/git/git.ts', () => ({ readMessagePrompt: vi.fn() }))
vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: vi.fn() }))
vi.mock('@/api/tasks/tasks.ts', () => ({ startTask: vi.fn(), readTask: vi.fn(), endTask: vi.fn(), listTasks: vi.fn() }))

const task = (more: Partial<CodingSession> = {}): CodingSession =>
  ({ id: 't', userId: 'me', state: 'running', provider: 'claude-code', ...more }) as CodingSession
const cli = (more: Partial<Provider>): Provider => ({ id: 'claude-code', canAskPeople: true, ...more }) as Provider

let scope: EffectScope
const written = vi.fn()
const AGENT = { name: 'a', runtime: 'claude-code' } as Agent
/** The composable once it knows what the CLI can do. */
const use = async (can: Partial<Provider> = { canPlan: true }) => {
  vi.mocked(listProviders).mockResolvedValue([cli(can)])
  const made = scope.run(() =>
    useMessageTask(
      () => AGENT,
      () => 'work/app',
      written,
    ),
  )!
  await vi.advanceTimersByTimeAsync(0)
  return made
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  vi.clearAllMocks()
  setActivePinia(createPinia())
  scope = effectScope()
  vi.mocked(readMessagePrompt).mockResolvedValue({ prompt: 'Write it', truncated: true })
  vi.mocked(startTask).mockResolvedValue(task())
  vi.mocked(endTask).mockResolvedValue(task())
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

it('starts a task that only plans, and passes its answer on once', async () => {
  const { start, isBusy, truncated } = await use()
  await start(true)
  expect(readMessagePrompt).toHaveBeenCalledWith('a', { repository: 'work/app', amends: true })
  expect(startTask).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ agent: 'a', prompt: 'Write it', policy: 'plan', worktree: 'off', validate: false }),
    expect.any(String),
  )
  expect([isBusy.value, truncated.value]).toEqual([true, true])
  await start(true)
  expect(startTask).toHaveBeenCalledOnce()
  vi.mocked(readTask).mockResolvedValue(task({ state: 'completed', result: '```\nAdd it\n```' }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written).toHaveBeenCalledExactlyOnceWith('Add it')
  expect(isBusy.value).toBe(false)
})

it('asks people with a CLI that cannot only plan, and is not there for one that can neither', async () => {
  const asking = await use({ canPlan: false })
  await asking.start(false)
  expect(startTask).toHaveBeenCalledWith(expect.objectContaining({ policy: 'ask' }), expect.any(String))
  setActivePinia(createPinia())
  const neither = await use({ canPlan: false, canAskPeople: false })
  await neither.start(false)
  expect([neither.policy.value, vi.mocked(startTask).mock.calls.length]).toEqual([null, 1])
})

it('says why there is no message: in the words of the task, or of the refusal', async () => {
  const { start, error } = await use()
  const said = 'Claude Code is not signed in.'
  vi.mocked(startTask).mockResolvedValueOnce(task({ state: 'failed', reason: 'not_signed_in', error: said }))
  await start(false)
  expect(error.value).toContain(said)
  vi.mocked(startTask).mockResolvedValueOnce(task({ state: 'completed', result: ' ' }))
  await start(false)
  expect(error.value).toBe('It answered nothing.')
  expect(written).not.toHaveBeenCalled()
})

it('ends the task when it is cancelled, also one that only starts, and uses no answer of it', async () => {
  const { start, cancel, isBusy } = await use()
  await start(false)
  vi.mocked(readTask).mockResolvedValue(task({ state: 'completed', result: 'Late' }))
  await cancel()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([isBusy.value, vi.mocked(endTask).mock.calls]).toEqual([false, [['t']]])
  const starting = Promise.withResolvers<CodingSession>()
  vi.mocked(startTask).mockReturnValueOnce(starting.promise)
  const started = start(false)
  await vi.advanceTimersByTimeAsync(0)
  await cancel()
  starting.resolve(task({ id: 'u' }))
  await started
  expect(vi.mocked(endTask).mock.calls).toEqual([['t'], ['u']])
  expect([isBusy.value, written.mock.calls]).toEqual([false, []])
})

it('passes the answer on to the form that is open when it comes, also if the page was left meanwhile', async () => {
  const { start } = await use()
  await start(false)
  scope.stop()
  vi.mocked(readTask).mockResolvedValue(task({ state: 'completed', result: 'Add it' }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written).not.toHaveBeenCalled()
  scope = effectScope()
  const { isBusy } = await use()
  expect(written).toHaveBeenCalledExactlyOnceWith('Add it')
  expect(isBusy.value).toBe(false)
  scope.stop()
  scope = effectScope()
  expect((await use()).task.value).toBe(null)
})
