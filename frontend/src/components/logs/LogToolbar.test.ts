// @vitest-environment happy-dom
import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import type { LogStatus } from '@/composables/logs/useLog.ts'
import LogToolbar from './LogToolbar.vue'

const props = { counted: '', copied: false, empty: false, search: '', wrap: true, times: true }

test.each<[LogStatus, boolean, string]>([
  ['live', true, 'Live'],
  ['live', false, 'Up to date'],
  ['lost', false, 'Reconnecting'],
])('a log that is %s, of an agent that runs: %s, is called “%s”', (status, isRunning, word) => {
  const toolbar = mount(LogToolbar, {
    props: { ...props, status, isRunning },
    global: { stubs: { UIcon: true, UInput: true, UTooltip: true } },
  })
  expect(toolbar.get('[data-testid="log-status"]').text()).toBe(word)
})
