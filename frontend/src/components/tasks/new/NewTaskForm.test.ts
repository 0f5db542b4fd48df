// @vitest-environment happy-dom
import type { Agent } from '@slipway/protocol'
import USelect from '@nuxt/ui/components/Select.vue'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findFiles } from '@/api/files/files.ts'
import { startTask } from '@/api/tasks/tasks.ts'
import type { InitialTask } from '@/lib/tasks/new/draft.ts'
import { forgetTasks } from '@/lib/tasks/new/kept.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import FolderField from '@/components/tasks/fields/FolderField.vue'
import NewTaskForm from './NewTaskForm.vue'
import PromptField from './PromptField.vue'

vi.mock('@/api/agents/codingAgents.ts', () => ({
  readMyBudget: () => Promise.resolve(null),
  listStatus: () => Promise.resolve([{ provider: 'codex', installed: true, configured: true }]),
}))
vi.mock('@/api/agents/credentials.ts', () => ({ listCliAccess: () => Promise.resolve([]) }))
vi.mock('@/api/files/files.ts', () => ({ findFiles: vi.fn() }))
vi.mock('@/api/tasks/tasks.ts', () => ({ listTasks: () => Promise.resolve([]), startTask: vi.fn() }))
vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: () => Promise.resolve([]) }))
vi.mock('@/api/tasks/templates.ts', () => ({
  listTemplates: () => Promise.resolve([TEMPLATE]),
  readTemplate: () => Promise.resolve(TEMPLATE),
}))

const TEMPLATE = { id: 'fix', name: 'Fix', of: 'user', prompt: 'Fix {{ticket}}' }

beforeEach(() => {
  setActivePinia(createPinia())
  useAgentsStore().put({
    id: '1',
    name: 'a',
    runtime: 'codex',
    policy: null,
    state: 'stopped',
    stateSince: '',
  } as Agent)
})
afterEach(() => forgetTasks())
enableAutoUnmount(afterEach)

/** The prompt that the form begins with, after what is typed into it. */
const shown = (initial: InitialTask, typed?: string): string => {
  const form = mount(NewTaskForm, { props: { agent: 'a', initial }, shallow: true })
  const prompt = form.getComponent(PromptField)
  const text = prompt.props('modelValue')
  if (typed !== undefined) prompt.vm.$emit('update:modelValue', typed)
  form.unmount()
  return text
}

it('a comment that was changed after the form was closed is sent as it is now', () => {
  const comment = (prompt: string): InitialTask => ({ resume: 'task', sends: ['a'], prompt })
  expect(shown(comment('Why not?'))).toBe('Why not?')
  expect(shown(comment('Why not two?'))).toBe('Why not two?')
})

it('a typed prompt is there again for the same task, and not for one with another long prompt', () => {
  expect(shown({ resume: 'task' }, 'Go on')).toBe('')
  expect(shown({ resume: 'task' })).toBe('Go on')
  const long = 'x'.repeat(200)
  expect(shown({ prompt: `${long} one` }, 'Changed')).toBe(`${long} one`)
  expect(shown({ prompt: `${long} two` })).toBe(`${long} two`)
  expect(shown({ prompt: `${long} one` })).toBe('Changed')
})

it('a task that is repeated has its own fields, and not those of another one with the same prompt', () => {
  const again = (cwd: string, model: string): InitialTask => ({ prompt: 'Fix it', cwd, model, provider: 'codex' })
  const folder = (initial: InitialTask): string => {
    const form = mount(NewTaskForm, { props: { agent: 'a', initial }, shallow: true })
    const text = form.getComponent(FolderField).props('modelValue')
    form.unmount()
    return text
  }
  expect([folder(again('~/a', 'large')), folder(again('~/b', 'small'))]).toEqual(['~/a', '~/b'])
})

it('a task does not start with an empty field of its template, also after the form was closed', async () => {
  vi.mocked(startTask).mockReset()
  const agents = useAgentsStore()
  agents.put({ ...agents.find('a')!, state: 'running' })
  const stubs = {
    TemplateField: false,
    UFormField: { template: '<div><slot /></div>' },
    UTextarea: { template: '<textarea @input="$emit(`update:modelValue`, $event.target.value)" />' },
  }
  const open = async () => {
    const form = mount(NewTaskForm, {
      props: { agent: 'a', provider: 'codex' },
      shallow: true,
      global: { stubs },
    })
    await flushPromises()
    return form
  }
  const first = await open()
  first.getComponent(USelect).vm.$emit('update:modelValue', TEMPLATE.id)
  await flushPromises()
  first.unmount()

  const form = await open()
  const prompt = form.getComponent(PromptField)
  expect(prompt.props('modelValue')).toBe('Fix {{ticket}}')
  prompt.vm.$emit('submit')
  await flushPromises()
  expect(startTask).not.toHaveBeenCalled()
  await form.get('[data-testid="task-field-of-ticket"]').setValue('7')
  prompt.vm.$emit('submit')
  await flushPromises()
  expect(vi.mocked(startTask).mock.calls.map(([body]) => body.prompt)).toEqual(['Fix 7'])
})

it.each([
  ['starts with the pictures that the agent has', 'file', 1],
  ['says that the agent lacks a picture of the prompt', null, 0],
] as const)('a task %s', async (_what, kind, started) => {
  vi.mocked(startTask).mockReset()
  vi.mocked(findFiles).mockResolvedValueOnce([{ kind }] as never)
  const agents = useAgentsStore()
  agents.put({ ...agents.find('a')!, state: 'running' })
  const stubs = { TemplateField: { render: () => null, methods: { check: () => Promise.resolve(true) } } }
  const form = mount(NewTaskForm, { props: { agent: 'a', provider: 'codex' }, shallow: true, global: { stubs } })
  const prompt = form.getComponent(PromptField)
  prompt.vm.$emit('update:modelValue', 'Look at /home/developer/uploads/0a/picture.png here')
  prompt.vm.$emit('submit')
  await flushPromises()
  expect(vi.mocked(startTask).mock.calls.length).toBe(started)
  expect(prompt.props('error') ?? '').toContain(started === 1 ? '' : 'a does not have the pictures of the prompt.')
})
