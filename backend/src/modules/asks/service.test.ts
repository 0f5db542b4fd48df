import { ASK_GRACE_SECONDS } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { SECOND_MS } from '../../lib/time/clock.ts'
import { type AsksDeps, AskService } from './service.ts'

const GRACE_MS = ASK_GRACE_SECONDS * SECOND_MS

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a question that nothing waits for is withdrawn, also if the database was away at first', async () => {
  const withdrawn: string[] = []
  const find = vi.fn().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue({ id: 'dialog' })
  const deps: Partial<Record<keyof AsksDeps, unknown>> = {
    repository: { open: () => Promise.resolve([{ agentId: 'agent', askId: 'one', runId: null }]), find },
    service: { abandon: (id: string) => Promise.resolve(void withdrawn.push(id)) },
    closed: { on: () => () => undefined },
    log: silentLog,
  }
  const asks = new AskService(deps as never)
  await asks.start()
  await vi.advanceTimersByTimeAsync(GRACE_MS)
  expect([find.mock.calls.length, withdrawn]).toEqual([1, []])
  await vi.advanceTimersByTimeAsync(GRACE_MS)
  expect(withdrawn).toEqual(['dialog'])
  await vi.advanceTimersByTimeAsync(10 * GRACE_MS)
  expect(find).toHaveBeenCalledTimes(2)
})
