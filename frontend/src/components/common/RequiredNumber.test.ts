// @vitest-environment happy-dom
import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import RequiredNumber from './RequiredNumber.vue'

it('a number that is emptied comes back, and one that is typed is taken', async () => {
  const number = mount(RequiredNumber, {
    props: { modelValue: 4, 'onUpdate:modelValue': (value: number) => number.setProps({ modelValue: value }) },
    attrs: { max: 100 },
    global: { stubs: { UIcon: true } },
  })
  const input = number.get('input')
  const type = async (text: string): Promise<void> => {
    await input.setValue(text)
    await input.trigger('blur')
  }
  await type('')
  expect(number.emitted('update:modelValue')).toBeUndefined()
  await vi.waitFor(() => expect(input.element.value).toBe('4'))
  await type('8')
  expect(number.emitted('update:modelValue')).toEqual([[8]])
  expect(input.element.value).toBe('8')
  number.unmount()
})
