import { DEFAULT_PREFERENCES, type Preferences, type User } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { readPreferences, writePreferences } from '@/api/identity/preferences.ts'
import { useAuthStore } from './auth.ts'
import { usePreferencesStore } from './preferences.ts'

vi.mock('@/api/identity/preferences.ts')

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
  vi.mocked(writePreferences).mockResolvedValue(before)
  const preferences = usePreferencesStore()
  const loaded = preferences.load()
  await preferences.change({ fontSize: 19 })
  answer.resolve(before)
  await loaded
  expect(preferences.terminal.fontSize).toBe(19)
  // The setting that another device has changed since is loaded.
  vi.mocked(readPreferences).mockResolvedValueOnce({ ...before, terminal: { ...before.terminal, fontSize: 11 } })
  await preferences.load()
  expect(preferences.terminal.fontSize).toBe(11)
})

it('only what was changed is sent, and again with the next change where that failed', async () => {
  const sent = vi.mocked(writePreferences).mockReset()
  sent.mockRejectedValueOnce(new Error('no network')).mockResolvedValue(DEFAULT_PREFERENCES)
  const preferences = usePreferencesStore()
  await preferences.change({ fontSize: 19 })
  expect(preferences.error).not.toBeNull()
  await preferences.change({ screenReader: true })
  await preferences.change({ fontSize: 20 })
  expect(preferences.error).toBeNull()
  expect(sent.mock.calls.map(([body]) => body.terminal)).toEqual([
    { fontSize: 19 },
    { fontSize: 19, screenReader: true },
    { fontSize: 20 },
  ])
})

it('a change during a save that fails is not undone by it', async () => {
  const answer = Promise.withResolvers<Preferences>()
  const sent = vi.mocked(writePreferences).mockReset()
  sent.mockReturnValueOnce(answer.promise).mockResolvedValue(DEFAULT_PREFERENCES)
  const preferences = usePreferencesStore()
  const first = preferences.change({ fontSize: 19, keepEscape: true })
  await preferences.change({ fontSize: 20 })
  answer.reject(new Error('no network'))
  await first
  await preferences.load()
  expect(sent.mock.lastCall?.[0]).toEqual({ terminal: { fontSize: 20, keepEscape: true } })
  expect(preferences.terminal).toMatchObject({ fontSize: 20, keepEscape: true })
})

it('a change that could not be sent is dropped if another user signs in, who gets their own preferences', async () => {
  const sent = vi.mocked(writePreferences).mockReset()
  sent.mockRejectedValueOnce(new Error('no network')).mockResolvedValue(DEFAULT_PREFERENCES)
  const { terminal } = DEFAULT_PREFERENCES
  vi.mocked(readPreferences).mockResolvedValue({ ...DEFAULT_PREFERENCES, terminal: { ...terminal, fontSize: 11 } })
  const preferences = usePreferencesStore()
  await preferences.change({ fontSize: 19 })
  useAuthStore().user = { id: 'bob' } as User
  await preferences.load()
  expect([preferences.terminal.fontSize, preferences.error]).toEqual([11, null])
  await preferences.change({ screenReader: true })
  expect(sent.mock.calls.map(([body]) => body)).toEqual([
    { terminal: { fontSize: 19 } },
    { terminal: { screenReader: true } },
  ])
})

it('a save of an earlier user that fails late keeps no change of the next user back, and is not sent as theirs', async () => {
  const answer = Promise.withResolvers<Preferences>()
  const sent = vi.mocked(writePreferences).mockReset()
  sent.mockReturnValueOnce(answer.promise).mockResolvedValue(DEFAULT_PREFERENCES)
  const preferences = usePreferencesStore()
  const first = preferences.change({ fontSize: 19 })
  useAuthStore().user = { id: 'bob' } as User
  await preferences.change({ screenReader: true })
  answer.reject(new Error('no network'))
  await first
  expect(sent.mock.calls.slice(1)).toEqual([[{ terminal: { screenReader: true } }]])
  expect(preferences.error).toBeNull()
})
