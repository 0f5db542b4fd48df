// @vitest-environment happy-dom
import type { Agent, Comparison, FoundFile } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findFiles } from '@/api/files/files.ts'
import { startComparison } from '@/api/tasks/comparisons.ts'
import PromptField from '@/components/tasks/new/PromptField.vue'
import { EMPTY_DRAFT } from '@/lib/tasks/new/draft.ts'
import { draftOf, forgetTasks, keepDraft } from '@/lib/tasks/new/kept.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import CompareForm from './CompareForm.vue'
import TargetFields from './TargetFields.vue'

vi.mock('@/api/files/files.ts')
vi.mock('@/api/tasks/comparisons.ts')
vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: () => Promise.resolve([]) }))

const PICTURE = '/home/developer/uploads/abc123/picture.png'

beforeEach(() => {
  setActivePinia(createPinia())
  for (const [name, runtime] of [
    ['a', 'codex'],
    ['b', 'claude-code'],
  ] as const)
    useAgentsStore().put({ id: name, name, runtime, state: 'running', stateSince: '' } as Agent)
  vi.mocked(startComparison).mockResolvedValue({ id: 'one' } as Comparison)
})
afterEach(() => forgetTasks())
enableAutoUnmount(afterEach)

const shown = (draft = '#compare') => {
  const form = mount(CompareForm, {
    props: { draft, agent: 'a' },
    global: { stubs: { PromptField: true, TargetFields: true, UButton: true } },
  })
  const prompt = form.getComponent(PromptField)
  return {
    form,
    prompt,
    write: (text: string) => prompt.vm.$emit('update:modelValue', text),
    submit: () => form.get('form').trigger('submit').then(flushPromises),
  }
}
const textOf = ({ prompt }: ReturnType<typeof shown>): string => prompt.props('modelValue')

it('a prompt is there again in the form that opens next, until its comparison has started', async () => {
  const first = shown()
  first.write('Fix the parser')
  first.form.unmount()
  const second = shown()
  expect(textOf(second)).toBe('Fix the parser')
  await second.submit()
  expect(startComparison).toHaveBeenCalledTimes(1)
  expect(textOf(shown())).toBe('')
})

it('a prompt whose comparison starts after its form was closed is not there again', async () => {
  const { promise, resolve } = Promise.withResolvers<Comparison>()
  vi.mocked(startComparison).mockReturnValueOnce(promise)
  const first = shown()
  first.write('Fix the parser')
  await first.submit()
  first.form.unmount()
  resolve({ id: 'one' } as Comparison)
  await flushPromises()
  expect(textOf(shown())).toBe('')
})

it('the prompt of a new task is the same in the form of a comparison, and its other fields stay', () => {
  keepDraft('', 'a', { ...EMPTY_DRAFT, prompt: 'Fix it', model: 'opus' })
  const form = shown('a')
  expect(textOf(form)).toBe('Fix it')
  form.write('Fix all')
  expect(draftOf('', 'a')).toEqual({ ...EMPTY_DRAFT, prompt: 'Fix all', model: 'opus' })
})

it('a comparison waits for the pictures of its prompt', async () => {
  const form = shown()
  form.write('Fix it')
  form.prompt.vm.$emit('uploading', true)
  await form.submit()
  expect(startComparison).not.toHaveBeenCalled()
  form.prompt.vm.$emit('uploading', false)
  await form.submit()
  expect(startComparison).toHaveBeenCalledTimes(1)
})

it('a target whose agent does not have a picture of the prompt is refused before it is sent', async () => {
  vi.mocked(findFiles).mockImplementation(async (agent, paths) =>
    paths.map((): FoundFile => ({ kind: agent === 'a' ? 'file' : null, size: 0, path: null })),
  )
  const form = shown()
  form.write(`Draw ${PICTURE} again`)
  await form.submit()
  expect(vi.mocked(findFiles).mock.calls).toEqual([
    ['a', [PICTURE]],
    ['b', [PICTURE]],
  ])
  const problems = () => form.form.findAllComponents(TargetFields).map((target) => target.props('error'))
  expect(problems()).toEqual([null, expect.stringContaining('b does not have the pictures')])
  expect(startComparison).not.toHaveBeenCalled()
  form.write('Draw it again')
  await form.submit()
  expect(startComparison).toHaveBeenCalledTimes(1)
})
