import type { Dialog } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerDialog, cancelDialog, readDialog } from '@/api/dialogs/dialogs.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useAnswer } from './useAnswer.ts'

vi.mock('@/api/dialogs/dialogs.ts', () => ({ answerDialog: vi.fn(), cancelDialog: vi.fn(), readDialog: vi.fn() }))

const ME = 'me@example.org'
const OPEN = { id: '1', state: 'open', openedAt: '2026-11-26T12:00:00.000Z', closedAt: null } as Dialog
const closedBy = (email: string): Dialog => ({ ...OPEN, state: 'answered', closedAt: OPEN.openedAt, closedBy: email })
const LATE = new ApiError(409, 'DIALOG_CLOSED', 'This was answered by ann@example.org already.')

beforeEach(() => {
  setActivePinia(createPinia())
  useAuthStore().user = { email: ME } as NonNullable<ReturnType<typeof useAuthStore>['user']>
  useDialogsStore().put(OPEN)
})

describe('an answer', () => {
  it('closes the question, once for any number of clicks', async () => {
    vi.mocked(answerDialog).mockResolvedValue(closedBy(ME))
    const { answer } = useAnswer(() => OPEN)
    await Promise.all([answer({ decision: 'allow' }), answer({ decision: 'allow' })])
    expect(answerDialog).toHaveBeenCalledExactlyOnceWith('1', { decision: 'allow' }, undefined)
    expect(useDialogsStore().open).toEqual([])
  })

  it('that comes too late says who was faster', async () => {
    vi.mocked(answerDialog).mockRejectedValue(LATE)
    vi.mocked(readDialog).mockResolvedValue(closedBy('ann@example.org'))
    const { answer, late, error } = useAnswer(() => OPEN)
    await answer({ decision: 'allow' })
    expect([late.value, error.value]).toEqual([LATE.message, null])
    expect(useDialogsStore().find('1')?.closedBy).toBe('ann@example.org')
  })

  it('whose first response was lost is no error', async () => {
    vi.mocked(answerDialog).mockRejectedValue(LATE)
    vi.mocked(readDialog).mockResolvedValue(closedBy(ME))
    const { answer, late, error } = useAnswer(() => OPEN)
    await answer({ decision: 'allow' })
    expect([late.value, error.value]).toEqual([null, null])
  })

  it('counts also if its mail or push is not known any more, and is asked once more only then', async () => {
    const gone = new ApiError(404, 'NOT_FOUND', 'Not found.')
    vi.mocked(answerDialog).mockRejectedValueOnce(gone).mockResolvedValueOnce(closedBy(ME))
    const { answer, error } = useAnswer(
      () => OPEN,
      () => 'notice',
    )
    await answer({ decision: 'allow' })
    expect(vi.mocked(answerDialog).mock.calls).toEqual([
      ['1', { decision: 'allow' }, 'notice'],
      ['1', { decision: 'allow' }],
    ])
    expect([error.value, useDialogsStore().open]).toEqual([null, []])
    vi.mocked(answerDialog).mockClear().mockRejectedValue(LATE)
    vi.mocked(readDialog).mockResolvedValue(closedBy(ME))
    await answer({ decision: 'allow' })
    expect(answerDialog).toHaveBeenCalledOnce()
  })

  it('that fails leaves the question open, and may be given again', async () => {
    vi.mocked(cancelDialog).mockRejectedValue(new ApiError(503, 'SERVER_STOPPING', 'The server is stopping.'))
    const { cancel, busy, error } = useAnswer(() => OPEN)
    await cancel()
    expect([error.value, busy.value]).toEqual(['The server is stopping.', false])
    expect(useDialogsStore().open).toEqual([OPEN])
  })
})
