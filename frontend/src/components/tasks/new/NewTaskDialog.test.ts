// @vitest-environment happy-dom
import UButton from '@nuxt/ui/components/Button.vue'
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import NewTaskDialog from './NewTaskDialog.vue'

it.each([
  ['waits for the empty fields of a template', false, 'New task'],
  ['begins with a prompt that is complete', true, 'Compare'],
])('a comparison %s', async (_what, isComplete, title) => {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: NewTaskDialog }] })
  const dialog = mount(NewTaskDialog, {
    props: { open: true },
    shallow: true,
    global: {
      plugins: [router],
      stubs: {
        // An automatic stub would load it.
        CompareForm: { template: '<i />' },
        UModal: { props: ['title'], template: '<div>{{ title }}<slot name="body" /></div>' },
        NewTaskForm: {
          setup: () => ({ check: () => Promise.resolve(isComplete) }),
          template: '<div><slot name="actions" draft="a" agent="a" :check="check" /></div>',
        },
      },
    },
  })
  dialog.getComponent(UButton).vm.$emit('click')
  await flushPromises()
  expect(dialog.text()).toBe(title)
  dialog.unmount()
})
