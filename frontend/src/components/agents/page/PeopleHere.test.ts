// @vitest-environment happy-dom
import type { Agent, LiveSession } from '@slipway/protocol'
import { mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test } from 'vitest'
import ShareDialog from '@/components/terminal/sharing/ShareDialog.vue'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import LiveSessions from './LiveSessions.vue'
import PeopleHere from './PeopleHere.vue'

const AGENT = { id: '1', name: 'harbour', relation: 'owner' } as Agent
const SESSION = { sessionId: 's', userId: 'u', email: 'ann@example.org', waits: false } as LiveSession
const OTHER = { ...SESSION, sessionId: 'o' }

let mounted: VueWrapper | undefined
beforeEach(() => setActivePinia(createPinia()))
afterEach(() => mounted?.unmount())

/** With the share dialog open. */
async function shared() {
  const people = mount(PeopleHere, {
    props: { agent: AGENT, sessions: [SESSION, OTHER] },
    global: {
      stubs: {
        UPopover: { template: '<div><slot /><slot name="content" /></div>' },
        LiveSessions: true,
        ShareDialog: true,
      },
    },
  })
  mounted = people
  people.getComponent(LiveSessions).vm.$emit('share', SESSION)
  await people.vm.$nextTick()
  const isOpen = () => people.findComponent(ShareDialog).exists()
  expect(isOpen()).toBe(true)
  return { isOpen, know: (sessions: LiveSession[]) => people.setProps({ sessions }) }
}

test('the dialog for a link stays while the event stream is away, and after it has come back', async () => {
  const { isOpen, know } = await shared()
  const agents = useAgentsStore()
  agents.online = false
  await know([])
  expect(isOpen()).toBe(true)
  agents.online = true
  // Other news comes before that of the sessions.
  await know([])
  expect(isOpen()).toBe(true)
  await know([SESSION])
  expect(isOpen()).toBe(true)
})

test('it closes when its session has ended', async () => {
  const { isOpen, know } = await shared()
  await know([OTHER])
  expect(isOpen()).toBe(false)
})
