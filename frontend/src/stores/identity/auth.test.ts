import type { User } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readMe } from '@/api/identity/auth.ts'
import { useAuthStore } from './auth.ts'

vi.mock('@/api/identity/auth.ts')

const ann = (role: User['role']): User => ({ id: 'ann', role }) as User

beforeEach(() => setActivePinia(createPinia()))

describe('a user’s change without an event', () => {
  it('is taken over while they are signed in, and nothing changes where no server answers', async () => {
    const auth = useAuthStore()
    Object.assign(auth, { user: ann('user'), status: 'signed-in' })
    vi.mocked(readMe).mockResolvedValueOnce(ann('admin'))
    await auth.refresh()
    expect(auth.isAdmin).toBe(true)
    vi.mocked(readMe).mockRejectedValueOnce(new Error('away'))
    await auth.refresh()
    expect(auth.isAdmin).toBe(true)
  })

  it('is not taken over after a sign-out, or for another user', async () => {
    const auth = useAuthStore()
    Object.assign(auth, { user: ann('user'), status: 'expired' })
    vi.mocked(readMe).mockResolvedValue(ann('admin'))
    await auth.refresh()
    Object.assign(auth, { user: { ...ann('user'), id: 'ben' }, status: 'signed-in' })
    await auth.refresh()
    expect(auth.isAdmin).toBe(false)
  })
})
