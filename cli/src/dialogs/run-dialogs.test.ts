import type { Dialog } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Client } from '../api/client.ts'
import type { Ui } from '../ui/ui.ts'
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
