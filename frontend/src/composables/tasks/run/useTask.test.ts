// @vitest-environment happy-dom
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { effectScope, type EffectScope } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { followTask, readTask } from '@/api/tasks/tasks.ts'
import { ApiError, unreachable } from '@/api/transport/errors.ts'
import { useTask } from './useTask.ts'

vi.mock('@/api/tasks/tasks.ts', () => ({ followTask: vi.fn(), readTask: vi.fn(), listTasks: vi.fn() }))

const task = (more: Partial<CodingSession> = {}): CodingSession =>
  ({
    id: 't',
    userId: 'me',
    state: 'running',
    provider: 'claude-code',
    inPieces: [],
    lastSeq: 0,
    ...more,
  }) as CodingSession
const text = (seq: number): RunEvent => ({ seq, at: '2026-11-26T12:00:00.000Z', type: 'text', text: `line ${seq}` })

let scope: EffectScope
const follow = () => scope.run(() => useTask('t'))!
const shown = (entries: ReturnType<typeof follow>['entries']): unknown[] =>
  entries.value.map((entry) => entry.kind === 'text' && entry.text)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

/** A stream that stays open after its events, until it is left. */
async function* open(events: RunEvent[], signal: AbortSignal): AsyncGenerator<RunEvent[]> {
  yield []
  yield events
  await new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new DOMException('left', 'AbortError'))),
  )
}
async function* broken(events: RunEvent[]): AsyncGenerator<RunEvent[]> {
  yield []
  yield await Promise.resolve(events)
  throw unreachable(null)
}

describe('a task that is followed', () => {
  it('comes back behind its last event after a loss, and shows nothing twice', async () => {
    vi.mocked(readTask).mockResolvedValue(task())
    vi.mocked(followTask)
      .mockImplementationOnce(() => broken([text(1), text(2)]))
      .mockImplementation((_id, _after, signal) => open([text(2), text(3)], signal))
    const { entries } = follow()
    await vi.advanceTimersByTimeAsync(1_500)
    expect(vi.mocked(followTask).mock.calls.map(([, after]) => after)).toEqual([0, 2])
    await vi.waitFor(() => expect(shown(entries)).toEqual(['line 1', 'line 2', 'line 3']), PATIENTLY)
  })

  it('says after 3 seconds that it asks, and stops to say so when the stream is back', async () => {
    vi.mocked(readTask).mockResolvedValue(task())
    vi.mocked(followTask).mockImplementation(async function* () {
      yield await Promise.reject<RunEvent[]>(unreachable(null))
    })
    const { isPolling } = follow()
    await vi.advanceTimersByTimeAsync(2_900)
    expect(isPolling.value).toBe(false)
    await vi.advanceTimersByTimeAsync(3_200)
    expect(isPolling.value).toBe(true)
    vi.mocked(followTask).mockImplementation((_id, _after, signal) => open([], signal))
    await vi.advanceTimersByTimeAsync(3_500)
    expect(isPolling.value).toBe(false)
  })

  it('begins a stream again that brings nothing although the task has gone on', async () => {
    vi.mocked(readTask)
      .mockResolvedValueOnce(task())
      .mockResolvedValue(task({ lastSeq: 1 }))
    vi.mocked(followTask)
      .mockImplementationOnce((_id, _after, signal) => open([], signal))
      .mockImplementation((_id, _after, signal) => open([text(1)], signal))
    const { entries } = follow()
    await vi.advanceTimersByTimeAsync(8_000)
    await vi.waitFor(() => expect(shown(entries)).toEqual(['line 1']), PATIENTLY)
  })

  it('takes a server for present that answers a request for events only with the next one', async () => {
    vi.mocked(readTask).mockResolvedValue(task())
    vi.mocked(followTask).mockImplementation(async function* () {
      yield await new Promise<RunEvent[]>(() => undefined)
    })
    const { isPolling } = follow()
    await vi.advanceTimersByTimeAsync(20_000)
    expect([vi.mocked(followTask).mock.calls.length, isPolling.value]).toEqual([1, false])
  })

  it('leaves a silent stream alone while the task has nothing new', async () => {
    vi.mocked(readTask).mockResolvedValue(task())
    vi.mocked(followTask).mockImplementation((_id, _after, signal) => open([], signal))
    const { isPolling } = follow()
    await vi.advanceTimersByTimeAsync(20_000)
    expect([vi.mocked(followTask).mock.calls.length, isPolling.value]).toEqual([1, false])
  })

  it('is over when it has ended and all of its events are there', async () => {
    vi.mocked(readTask)
      .mockResolvedValueOnce(task())
      .mockResolvedValue(task({ state: 'completed', lastSeq: 1 }))
    vi.mocked(followTask).mockImplementation(async function* () {
      yield await Promise.resolve([text(1)])
    })
    const { isCaughtUp, session } = follow()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([isCaughtUp.value, session.value?.state, vi.mocked(followTask).mock.calls.length]).toEqual([
      true,
      'completed',
      1,
    ])
  })

  it.each([
    [404, 'not-found'],
    [403, 'no-access'],
  ] as const)('that the server answers with %s is told as %s, and not asked for again', async (status, missing) => {
    vi.mocked(readTask).mockRejectedValue(new ApiError(status, 'UNEXPECTED', 'no'))
    const shownTask = follow()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([shownTask.missing.value, vi.mocked(readTask).mock.calls.length]).toEqual([missing, 1])
  })
})
