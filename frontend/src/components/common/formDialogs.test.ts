// @vitest-environment happy-dom
import { flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { type Component, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { listCliProviders } from '@/api/agents/codingAgents.ts'
import CreateAgentDialog from '@/components/agents/form/CreateAgentDialog.vue'
import ScheduleDialog from '@/components/tasks/schedules/ScheduleDialog.vue'
import SkillDialog from '@/components/tasks/skills/SkillDialog.vue'
import TemplateDialog from '@/components/tasks/templates/TemplateDialog.vue'
import IncomingDialog from '@/components/tasks/webhooks/IncomingDialog.vue'
import OutgoingDialog from '@/components/tasks/webhooks/OutgoingDialog.vue'
import CherryPickDialog from '@/components/worktrees/CherryPickDialog.vue'

vi.mock('@/api/agents/codingAgents.ts')
/** A form that is a component of its own. What its dialog does with it does not depend on its fields. */
const form = vi.hoisted(() => ({ __esModule: true, default: { render: (): unknown => null } }))
vi.mock('@/components/agents/form/NewAgent.vue', () => form)
vi.mock('@/components/tasks/schedules/ScheduleForm.vue', () => form)
vi.mock('@/components/tasks/webhooks/IncomingForm.vue', () => form)

beforeEach(() => {
  form.default.render = () => h('textarea')
  setActivePinia(createPinia())
  vi.mocked(listCliProviders).mockResolvedValue([])
})

/** Whether Escape closes the dialog. */
async function closes(dialog: Component, props: object, write: boolean): Promise<boolean> {
  const close = vi.fn()
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: {} }] })
  const shown = mount(dialog, {
    props: { ...props, onClose: close, 'onUpdate:open': (open: boolean) => void (open || close()) },
    global: { plugins: [router], stubs: { UIcon: true } },
    attachTo: document.body,
  })
  await flushPromises()
  const field = document.querySelector('textarea') ?? document.querySelector('input')!
  if (write) {
    field.value = 'a long thought'
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await flushPromises()
  }
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
  await flushPromises()
  shown.unmount()
  return close.mock.calls.length > 0
}

test.each<[string, Component, object]>([
  ['a schedule', ScheduleDialog, { open: true }],
  ['an incoming webhook', IncomingDialog, {}],
  ['an outgoing webhook', OutgoingDialog, { path: '/webhooks' }],
  ['a template', TemplateDialog, {}],
  ['a skill', SkillDialog, { path: '/users/me/skills' }],
  ['an agent', CreateAgentDialog, { open: true }],
  ['commits to cherry-pick', CherryPickDialog, { branch: 'main' }],
])('Escape closes the form of %s only until the user has written in it', async (_, dialog, props) => {
  expect(await closes(dialog, props, false)).toBe(true)
  expect(await closes(dialog, props, true)).toBe(false)
})
