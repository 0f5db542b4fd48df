import type { Provider } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { listProviders } from '@/api/tasks/providers.ts'
import { useProvidersStore } from './providers.ts'

vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: vi.fn() }))

const PROVIDERS = [
  { id: 'claude-code', mode: 'claude', label: 'Claude Code', services: ['anthropic'], models: ['opus', 'sonnet'] },
  { id: 'gemini-cli', mode: 'gemini', label: 'Gemini CLI', services: ['gemini'], models: [] },
  { id: 'copilot', mode: 'copilot', label: 'GitHub Copilot CLI', services: [], models: [] },
  { id: 'opencode', mode: 'opencode', label: 'OpenCode', services: ['anthropic', 'openai', 'gemini'], models: [] },
  { id: 'codex', mode: 'codex', label: 'Codex', services: ['openai'], models: [] },
  { id: 'bash', mode: 'bash', label: 'Bash', services: [], models: [] },
].map((provider) => ({ canSkipPermissions: false, signIn: null, ...provider })) as Provider[]

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(listProviders).mockReset().mockResolvedValue(PROVIDERS)
})

const loaded = async () => {
  const providers = useProvidersStore()
  await providers.load()
  return providers
}

test.each([
  ['claude-code', 'Claude Code', 'claude'],
  ['gemini-cli', 'Gemini CLI', 'gemini'],
  ['codex', 'Codex', 'codex'],
])('%s is called %s and asked for as %s', async (runtime, label, mode) => {
  const providers = await loaded()
  expect(providers.modeLabel('cli', runtime)).toBe(label)
  expect(providers.programLabel(mode)).toBe(label)
  expect(providers.queryMode('cli', runtime)).toBe(mode)
})

test('a program whose mode the protocol does not name is left to the server', async () => {
  const providers = await loaded()
  expect(providers.runtimeLabel('copilot')).toBe('GitHub Copilot CLI')
  expect(providers.queryMode('cli', 'copilot')).toBeNull()
})

test.each(['aider', 'constructor'])('an unknown program is called by its own name: %s', async (runtime) => {
  const providers = await loaded()
  expect(providers.runtimeLabel(runtime)).toBe(runtime)
  expect(providers.programLabel(runtime)).toBe(runtime)
  expect(providers.queryMode('cli', runtime)).toBeNull()
})

test('bash is called bash in every agent', async () => {
  const providers = await loaded()
  expect(providers.modeLabel('bash', 'codex')).toBe('Bash')
  expect(providers.queryMode('bash', 'aider')).toBe('bash')
})

test('models are those that the server knows of a runtime, and none of others', async () => {
  const providers = await loaded()
  expect(providers.modelsOf('claude-code')).toEqual(['opus', 'sonnet'])
  expect(providers.modelsOf('bash')).toEqual([])
  expect(providers.modelsOf('elsewhere')).toEqual([])
})

test('a list that did not arrive is asked for again, and programs are called by their ids meanwhile', async () => {
  vi.mocked(listProviders).mockRejectedValueOnce(new Error('offline'))
  const providers = useProvidersStore()
  await providers.load()
  expect(providers.runtimeLabel('claude-code')).toBe('claude-code')
  expect(providers.runtimeLabel('custom:aider')).toBe('aider')
  expect(providers.queryMode('cli', 'claude-code')).toBeNull()
  await Promise.all([providers.load(), providers.load()])
  expect(providers.runtimeLabel('claude-code')).toBe('Claude Code')
  expect(listProviders).toHaveBeenCalledTimes(2)
  await providers.load()
  expect(listProviders).toHaveBeenCalledTimes(2)
})
