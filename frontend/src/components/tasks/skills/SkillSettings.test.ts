// @vitest-environment happy-dom
import type { SkillSettings as Settings } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readSkillSettings, setSkillSettings } from '@/api/tasks/skills.ts'
import SkillSettings from './SkillSettings.vue'

vi.mock('@/api/tasks/skills.ts')
enableAutoUnmount(afterEach)

it('a setting of skills that is changed during a save stays, and does not count as saved', async () => {
  vi.mocked(readSkillSettings).mockResolvedValue({ repository: false, maxPromptTokens: 1000 })
  const { promise, resolve } = Promise.withResolvers<Settings>()
  vi.mocked(setSkillSettings).mockReturnValueOnce(promise)
  // Buttons look for the page that they lead to.
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: SkillSettings }] })
  const page = mount(SkillSettings, {
    props: { agent: 'atlas', agentKey: 'atlas' },
    global: { plugins: [router], stubs: { UIcon: true } },
  })
  await flushPromises()
  await page.get('form').trigger('submit')
  await flushPromises()
  const choice = page.get('[data-testid="skill-repository"]')
  await choice.trigger('click')
  resolve({ repository: false, maxPromptTokens: 1000 })
  await flushPromises()
  expect(choice.attributes('aria-checked')).toBe('true')
  expect(page.get('[data-testid="skill-settings-save"]').text()).toBe('Save')
})
