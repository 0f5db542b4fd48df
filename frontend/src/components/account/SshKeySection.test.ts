// @vitest-environment happy-dom
import type { SshKey, SshServer } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { addSshKey, listSshKeys, readSshServer } from '@/api/identity/ssh.ts'
import { ApiError } from '@/api/transport/errors.ts'
import SshKeySection from './SshKeySection.vue'

vi.mock('@/api/identity/ssh.ts')

const key: SshKey = {
  id: 'one',
  name: 'laptop',
  publicKey: 'ssh-ed25519 AAAA',
  fingerprint: 'SHA256:abc',
  createdAt: '2026-11-01T00:00:00.000Z',
  lastUsedAt: null,
}
const on: SshServer = {
  address: { host: 'slipway.example.org', port: 4722, fingerprint: 'SHA256:server', knownHosts: '' },
}

beforeEach(() => {
  vi.mocked(listSshKeys).mockResolvedValue([key])
  vi.mocked(readSshServer).mockResolvedValue({ address: null })
})
enableAutoUnmount(afterEach)

/** Buttons look for the page that they lead to, and icons would be fetched. */
const shown = async () => {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: SshKeySection }] })
  const section = mount(SshKeySection, { global: { plugins: [router], stubs: { UIcon: true } } })
  await flushPromises()
  return section
}

test('keys are listed and can be added while SSH is off, which one sentence says', async () => {
  const section = await shown()
  expect(section.get('[data-testid="ssh-off"]').text()).toContain('SLIPWAY_SSH_PORT')
  expect(section.get('[data-testid="ssh-key-laptop"]').text()).toMatch(/SHA256:abc · added .* · never used/)
  expect(section.find('[data-testid="add-ssh-key"]').exists()).toBe(true)
})

test('where SSH is on, the command and the key of the server are there', async () => {
  vi.mocked(readSshServer).mockResolvedValue(on)
  const section = await shown()
  expect(section.find('[data-testid="ssh-off"]').exists()).toBe(false)
  const text = section.get('[data-testid="ssh-on"]').text()
  expect(text).toContain('ssh -p 4722 AGENT@slipway.example.org')
  expect(text).toContain('SHA256:server')
})

test('without a key, the section says how to make one', async () => {
  vi.mocked(listSshKeys).mockResolvedValue([])
  expect((await shown()).get('[data-testid="ssh-keys-none"]').text()).toContain('ssh-keygen -t ed25519')
})

test('a pasted key has its comment as its name, and a refusal stays beside what was pasted', async () => {
  const message = 'This is a private key. Paste the .pub file, and keep this one to yourself.'
  const add = vi.mocked(addSshKey).mockRejectedValueOnce(new ApiError(400, 'VALIDATION', message))
  const section = await shown()
  await section.get('[data-testid="add-ssh-key"]').trigger('click')
  await section.get('textarea').setValue('ssh-ed25519 BBBB ada@desk')
  expect(section.get<HTMLInputElement>('input').element.value).toBe('ada@desk')
  await section.get('form').trigger('submit')
  await flushPromises()
  expect(section.get('[role="alert"]').text()).toContain(message)
  add.mockResolvedValueOnce(key)
  await section.get('form').trigger('submit')
  await flushPromises()
  expect(add).toHaveBeenLastCalledWith({ name: 'ada@desk', publicKey: 'ssh-ed25519 BBBB ada@desk' })
  expect(section.find('form').exists()).toBe(false)
  expect(listSshKeys).toHaveBeenCalledTimes(2)
})
