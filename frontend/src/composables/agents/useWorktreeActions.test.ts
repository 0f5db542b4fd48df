import type { Agent, Worktree } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { removeWorktree } from '@/api/git/worktrees.ts'
import { useWorktreeActions } from './useWorktreeActions.ts'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('vue-router', async (original) => ({ ...(await original<object>()), useRouter: () => ({}) }))
vi.mock('@/api/git/worktrees.ts', () => ({ removeWorktree: vi.fn() }))
vi.mock('@/composables/useConfirm.ts', () => ({ confirm: () => Promise.resolve(true) }))

const agent = { id: 'a', name: 'atlas', relation: 'owner' } as Agent
const worktree = { id: 'w', path: '/home/developer/.slipway/worktrees/app-1', conversationId: null } as Worktree

beforeEach(() => {
  setActivePinia(createPinia())
  toast.add.mockClear()
})

it.each([
  ['by its reference', { salvage: 'refs/slipway/salvage/app-1/2' }, 'refs/slipway/salvage/app-1/2'],
  ['also if the answer was lost', undefined, 'refs/slipway/salvage/app-1'],
])('says where everything of a removed worktree is, %s', async (_, answer, place) => {
  vi.mocked(removeWorktree).mockResolvedValueOnce(answer)
  expect(await useWorktreeActions(() => agent).remove(worktree)).toBe(true)
  expect(toast.add).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ title: 'Worktree removed', description: expect.stringContaining(place) as string }),
  )
})
