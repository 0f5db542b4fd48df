// @vitest-environment happy-dom
import { STATE_NOT_KNOWN, type Agent } from '@slipway/protocol'
import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import TerminalPlaceholder from './TerminalPlaceholder.vue'

const shown = (state: Agent['state'], reason: Agent['reason']) =>
  mount(TerminalPlaceholder, {
    props: { agent: { name: 'harbour-api', state, reason } as Agent, starting: false },
    global: {
      plugins: [createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: {} }] })],
      stubs: { UIcon: true },
    },
  })

test('while the engine does not answer, users read that the state is not known, and get no start that would fail', () => {
  const placeholder = shown('failed', { code: 'engine_unavailable', message: STATE_NOT_KNOWN })
  expect(placeholder.text()).toBe(`The state of harbour-api is not known.${STATE_NOT_KNOWN}`)
})

test.each([
  ['failed', { code: 'exited', message: 'It ended.' }, 'harbour-api has failed.It ended.Try again'],
  ['stopped', null, 'harbour-api is not running. Start it?Start'],
] as const)('an agent that is %s can be started', (state, reason, text) => {
  expect(
    shown(state, reason)
      .text()
      .replace(/\s*\n\s*/g, ''),
  ).toContain(text)
})
