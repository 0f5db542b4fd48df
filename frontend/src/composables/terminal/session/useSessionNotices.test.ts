import { useToast } from '@nuxt/ui/composables'
import { expect, test } from 'vitest'
import { createApp, nextTick } from 'vue'
import { explainRunsOn } from '@/terminal/session/ends.ts'
import { useSessionNotices } from './useSessionNotices.ts'

/** The toasts about a terminal that its user sees, or does not see. */
async function said(isSeen: boolean, tell: (notices: ReturnType<typeof useSessionNotices>) => void) {
  const toast = createApp({}).runWithContext(() => {
    const toasts = useToast()
    toasts.clear()
    tell(
      useSessionNotices(
        () => 'harbour',
        () => isSeen,
      ),
    )
    return toasts
  })
  // Toasts appear one at a time.
  for (let turn = 0; turn < 5; turn += 1) await nextTick()
  return toast.toasts.value.map(({ title, description }) => [title, description])
}

const WHY = explainRunsOn('Bash')

test('that a terminal has ended is said to a user who looks elsewhere, and to no other', async () => {
  expect(await said(true, (notices) => notices.disconnected(WHY))).toEqual([])
  expect(await said(true, (notices) => notices.disconnected(null))).toEqual([])
  expect(await said(false, (notices) => notices.disconnected(WHY))).toEqual([
    ['Disconnected', 'harbour: Disconnected, but Bash is still running.'],
  ])
  expect(await said(false, (notices) => notices.disconnected(null))).toEqual([
    ['Disconnected', 'harbour: you disconnected.'],
  ])
})

test('what the page does not show is said in any case', async () => {
  expect(await said(true, (notices) => notices.inputCut('control'))).toEqual([
    ['Part of your paste was not sent', 'Another person took control.'],
  ])
})
