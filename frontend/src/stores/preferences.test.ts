import { DEFAULT_PREFERENCES, type Preferences, type User } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { readPreferences, writePreferences } from '@/api/preferences.ts'
import { useAuthStore } from './auth.ts'
import { usePreferencesStore } from './preferences.ts'

vi.mock('@/api/preferences.ts')

beforeEach(() => {
  setActivePinia(createPinia())
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
  useAuthStore().user = { id: 'ann' } as User
})

it('an answer that began before a change does not undo it, however late it comes', async () => {
  const before = structuredClone(DEFAULT_PREFERENCES)
  const answer = Promise.withResolvers<Preferences>()
  vi.mocked(readPreferences).mockReturnValueOnce(answer.promise)
  vi.mocked(writePreferences).mockImplementation(async (body) => Promise.resolve(body))
  const preferences = usePreferencesStore()
  const loaded = preferences.load()
  await preferences.change({ fontSize: 19 })
  answer.resolve(before)
  await loaded
  expect(preferences.terminal.fontSize).toBe(19)
  // What another device changed since is taken over.
  vi.mocked(readPreferences).mockResolvedValueOnce({ ...before, terminal: { ...before.terminal, fontSize: 11 } })
  await preferences.load()
  expect(preferences.terminal.fontSize).toBe(11)
})
