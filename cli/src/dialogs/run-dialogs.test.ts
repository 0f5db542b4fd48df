import type { Dialog } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Client } from '../api/client.ts'
import { SlipwayError } from '../api/errors.ts'
import { answered, type Outcome, type Ui } from '../ui/ui.ts'
import { RunDialogs } from './run-dialogs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const DIALOG = { id: 'd', requestId: 'r', title: 'Deploy?', message: null, question: { kind: 'confirm' } }

/** A server on which the question is open from the look with this number, counted from 1. */
const setUp = (openFrom: number) => {
  let looks = 0
  const confirm = vi.fn(() => new Promise(() => undefined))
  const client = {
    json: () => Promise.resolve((looks += 1) >= openFrom ? [DIALOG as unknown as Dialog] : []),
  } as unknown as Client
  const dialogs = new RunDialogs(client, 'run', { confirm } as unknown as Ui, new AbortController().signal)
  return { dialogs, confirm, looks: () => looks }
}

it('a question is shown although its event comes before its dialog', async () => {
  const { dialogs, confirm } = setUp(3)
  dialogs.asked('r')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(confirm).toHaveBeenCalledTimes(1)
})

it('nothing looks for a question any more that was answered without people', async () => {
  const { dialogs, looks } = setUp(Infinity)
  dialogs.asked('r')
  await vi.advanceTimersByTimeAsync(0)
  dialogs.answered('r')
  await vi.advanceTimersByTimeAsync(500)
  const before = looks()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looks()).toBe(before)
})

const LOST = new SlipwayError('UNREACHABLE', 'Slipway does not answer.')
const CLOSED = new SlipwayError('DIALOG_CLOSED', 'This was answered by ann@example.org already.', { statusCode: 409 })

/** Far longer than a request needs that is sent again after a quarter of a second. */
const PATIENCE = { timeout: 60_000 }

/** A server with one question, whose requests fail first. The user says yes to it. */
const failing = (first: Readonly<Record<string, readonly SlipwayError[]>>, answer: object | null = null) => {
  const failures = new Map(Object.entries(first).map(([method, errors]) => [method, [...errors]]))
  const calls: string[] = []
  const given: unknown[] = []
  const json = async (method: string, path: string, { body }: { body?: unknown } = {}): Promise<unknown> => {
    calls.push(`${method} ${path}`)
    const failure = failures.get(method)?.shift()
    if (failure !== undefined) throw failure
    if (method === 'POST') given.push(body)
    if (path === '/dialogs') return [DIALOG]
    return { ...DIALOG, state: 'answered', answer }
  }
  const confirm = vi.fn((): Promise<Outcome<boolean>> => Promise.resolve(answered(true)))
  const notify = vi.fn()
  const ui = { confirm, notify } as unknown as Ui
  const dialogs = new RunDialogs({ json } as unknown as Client, 'run', ui, new AbortController().signal)
  dialogs.asked('r')
  return { dialogs, confirm, calls, given, notices: () => notify.mock.calls.map(([text]) => text as string) }
}

it('a question is asked although the server did not answer when its event came', async () => {
  const { dialogs, confirm, given, notices } = failing({ GET: [LOST, LOST] })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(given).toEqual([{ value: true }])
  await dialogs.end()
  expect(confirm).toHaveBeenCalledTimes(1)
  expect(notices()).toEqual([LOST.message])
})

it('an answer arrives although the server did not answer at first', async () => {
  const { dialogs, confirm, given, notices } = failing({ POST: [LOST] })
  await vi.waitFor(() => expect(given).toEqual([{ value: true }]), PATIENCE)
  await dialogs.end()
  expect(confirm).toHaveBeenCalledTimes(1)
  expect(notices()).toEqual(['Slipway does not answer. Your answer is sent again.'])
})

it.each([
  ['has arrived, if its response was lost', { value: true }, []],
  ['came too late, if another one was faster', { value: false }, [CLOSED.message]],
])('the user learns that an answer %s', async (_what, answer, told) => {
  const { dialogs, calls, notices } = failing({ POST: [LOST, CLOSED] }, answer)
  await vi.waitFor(() => expect(calls).toContain('GET /dialogs/d'), PATIENCE)
  await dialogs.end()
  expect(notices()).toEqual(['Slipway does not answer. Your answer is sent again.', ...told])
})

it('a task that ends does not wait for an answer that cannot be sent', async () => {
  const { dialogs, given, notices } = failing({ POST: Array.from({ length: 100 }, () => LOST) })
  await vi.waitFor(() => expect(notices()).toHaveLength(1), PATIENCE)
  await dialogs.end()
  expect([given, notices().length, vi.getTimerCount()]).toEqual([[], 2, 0])
})
