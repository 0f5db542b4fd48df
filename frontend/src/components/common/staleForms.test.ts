// @vitest-environment happy-dom
import type { Agent, CliProvider, IncomingHook, PromptTemplate, Schedule, Webhook } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { changeCliProvider } from '@/api/agents/codingAgents.ts'
import { readWorktreeSettings, saveWorktreeSettings } from '@/api/git/worktrees.ts'
import { updateSchedule } from '@/api/tasks/schedules.ts'
import { readSkillSettings, setSkillSettings } from '@/api/tasks/skills.ts'
import { updateTemplate } from '@/api/tasks/templates.ts'
import { updateIncoming, updateWebhook } from '@/api/tasks/webhooks.ts'
import ScheduleForm from '@/components/tasks/schedules/ScheduleForm.vue'
import ProviderForm from '@/components/tasks/settings/ProviderForm.vue'
import SkillSettings from '@/components/tasks/skills/SkillSettings.vue'
import TemplateDialog from '@/components/tasks/templates/TemplateDialog.vue'
import IncomingForm from '@/components/tasks/webhooks/IncomingForm.vue'
import OutgoingDialog from '@/components/tasks/webhooks/OutgoingDialog.vue'
import WorktreeSettings from '@/components/worktrees/WorktreeSettings.vue'

vi.mock('@/api/agents/codingAgents.ts')
vi.mock('@/api/git/worktrees.ts')
vi.mock('@/api/tasks/schedules.ts')
vi.mock('@/api/tasks/skills.ts')
vi.mock('@/api/tasks/templates.ts')
vi.mock('@/api/tasks/webhooks.ts')

beforeEach(() => setActivePinia(createPinia()))
enableAutoUnmount(afterEach)

const write = (text: string) => (field: HTMLElement) => {
  ;(field as HTMLInputElement).value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Shows the form, edits one of its fields, and saves it. */
async function change(
  form: Component,
  props: object,
  field: string,
  edit: (field: HTMLElement) => void,
): Promise<void> {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: {} }] })
  const stubs = { UIcon: true, TaskFields: true, WhenFields: true }
  mount(form, { props, global: { plugins: [router], stubs }, attachTo: document.body })
  await flushPromises()
  edit(document.querySelector<HTMLElement>(`[data-testid="${field}"]`)!)
  await flushPromises()
  document.querySelector('form')!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  await flushPromises()
}

const task = {
  ...{ id: '1', name: 'old', agent: 'harbour', prompt: 'Go.', provider: null, model: 'm', cwd: null, maxTurns: 3 },
  ...{ timeoutSeconds: 90, maxBudgetUsd: null, worktree: null, validate: false, gateRepairs: null, enabled: true },
}
const schedule = { ...task, cron: '0 9 * * *', timezone: 'UTC', missed: 'skip' } as Schedule
const incoming = { ...task, source: 'github', events: ['issues'] } as IncomingHook
const outgoing = {
  id: '1',
  name: 'old',
  url: 'https://old.example.org',
  kinds: ['task.ended'],
  withText: true,
} as Webhook
const template = { id: '1', of: 'user', name: 'old', prompt: 'Go.' } as PromptTemplate
const provider = {
  ...{ id: '1', name: 'cli', displayName: 'old', binary: 'cli', defaultArgs: ['-x'], promptTemplate: null },
  ...{ promptVia: 'stdin', outputFormat: 'text', authMethod: 'none', configServiceName: null, apiKeyEnvVar: null },
  ...{ defaultTimeoutMs: 60_000, maxTimeoutMs: 120_000, isActive: true },
} as unknown as CliProvider

test.each<[string, Component, object, string, (...change: never[]) => unknown, unknown]>([
  ['a schedule', ScheduleForm, { schedule, ownProviders: [] }, 'schedule-name', updateSchedule, { name: 'new' }],
  [
    'an incoming webhook',
    IncomingForm,
    { hook: incoming, ownProviders: [] },
    'webhook-name',
    updateIncoming,
    { name: 'new' },
  ],
  [
    'an outgoing webhook',
    OutgoingDialog,
    { path: '/webhooks', webhook: outgoing },
    'webhook-name',
    updateWebhook,
    { name: 'new' },
  ],
  ['a template', TemplateDialog, { template }, 'template-name', updateTemplate, { name: 'new' }],
  ['a coding CLI', ProviderForm, { provider }, 'provider-label', changeCliProvider, { display_name: 'new' }],
])('the form of %s changes what was edited in it, and leaves the rest as another window has set it', async (...row) => {
  const [, form, props, field, send, body] = row
  await change(form, props, field, write('new'))
  expect(vi.mocked(send).mock.calls.map((sent) => sent.at(-1))).toEqual([body])
})

test('the settings of worktrees keep what another window has changed meanwhile', async () => {
  const [root, setup] = ['~/trees', 'npm ci']
  vi.mocked(readWorktreeSettings)
    .mockResolvedValueOnce({ mode: 'off', root: '~/old', setup: null })
    .mockResolvedValueOnce({ mode: 'off', root: '~/old', setup })
  vi.mocked(saveWorktreeSettings).mockImplementation((_key, settings) => Promise.resolve(settings))
  const agent = { name: 'harbour', relation: 'owner' } as Agent
  await change(WorktreeSettings, { agent }, 'worktree-root', write(root))
  expect(vi.mocked(saveWorktreeSettings).mock.calls).toEqual([['harbour', { mode: 'off', root, setup }]])
})

test('the settings of skills keep what another window has changed meanwhile', async () => {
  vi.mocked(readSkillSettings)
    .mockResolvedValueOnce({ repository: false, maxPromptTokens: 1_000 })
    .mockResolvedValueOnce({ repository: false, maxPromptTokens: 2_000 })
  vi.mocked(setSkillSettings).mockImplementation((_key, settings) => Promise.resolve(settings))
  await change(SkillSettings, { agent: 'harbour', agentKey: 'harbour' }, 'skill-repository', (field) => field.click())
  const both = { repository: true, maxPromptTokens: 2_000 }
  expect(vi.mocked(setSkillSettings).mock.calls).toEqual([['harbour', both]])
})
