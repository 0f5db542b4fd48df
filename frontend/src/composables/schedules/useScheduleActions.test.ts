import type { CodingSession, Schedule } from '@slipway/protocol'
import { expect, it, vi } from 'vitest'
import { readSchedule, runSchedule } from '@/api/tasks/schedules.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { useScheduleActions } from './useScheduleActions.ts'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('@/api/tasks/schedules.ts', () => ({ readSchedule: vi.fn(), runSchedule: vi.fn() }))

it('says only that the task is started if the schedule cannot be read after it', async () => {
  vi.mocked(runSchedule).mockResolvedValueOnce({ id: 't' } as CodingSession)
  vi.mocked(readSchedule).mockRejectedValueOnce(unreachable(null))
  const put = vi.fn()
  const { run } = useScheduleActions(put, vi.fn())
  expect(await run({ id: 's', name: 'Nightly' } as Schedule)).toBe(true)
  expect(toast.add).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ title: 'Started “Nightly”' }))
  expect(put).not.toHaveBeenCalled()
})
