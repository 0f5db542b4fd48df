// @vitest-environment happy-dom
import type { PromptTemplate } from '@slipway/protocol'
import USelect from '@nuxt/ui/components/Select.vue'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listTemplates, readTemplate } from '@/api/tasks/templates.ts'
import type { ChosenTemplate } from '@/lib/tasks/new/templates.ts'
import TemplateField from './TemplateField.vue'

vi.mock('@/api/tasks/templates.ts')

const TEMPLATES = ['Review', 'Mend'].map((name) => ({ id: name, name, of: 'user', prompt: `${name} it` }))

beforeEach(() => {
  vi.mocked(listTemplates).mockResolvedValue(TEMPLATES as PromptTemplate[])
  vi.mocked(readTemplate).mockImplementation(
    async (id) => TEMPLATES.find((template) => template.id === id) as PromptTemplate,
  )
})
enableAutoUnmount(afterEach)

async function shown(prompt: string) {
  const field = mount(TemplateField, {
    props: {
      modelValue: prompt,
      'onUpdate:modelValue': (text: string) => type(text),
      template: null,
      'onUpdate:template': (template: ChosenTemplate | null) => field.setProps({ template }),
    },
    global: { stubs: { UIcon: true } },
  })
  const type = (text: string): Promise<void> => field.setProps({ modelValue: text })
  const choose = async (id: string): Promise<void> => {
    field.getComponent(USelect).vm.$emit('update:modelValue', id)
    await flushPromises()
  }
  await flushPromises()
  const back = () => field.findAll('button').find((button) => button.text() === 'Bring it back')
  return { type, choose, back, prompt: () => field.props('modelValue') }
}

test('a prompt that was changed by hand comes back after a second template has replaced it', async () => {
  const { type, choose, back, prompt } = await shown('')
  await choose('Review')
  expect([prompt(), back()]).toEqual(['Review it', undefined])
  await type('Review it, with care')
  await choose('Mend')
  expect(prompt()).toBe('Mend it')
  await back()!.trigger('click')
  expect([prompt(), back()]).toEqual(['Review it, with care', undefined])
})

test('without a change by hand, the prompt before the first template comes back', async () => {
  const { choose, prompt } = await shown('Mine')
  await choose('Review')
  await choose('Mend')
  await choose('none')
  expect(prompt()).toBe('Mine')
})
