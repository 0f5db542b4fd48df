// @vitest-environment happy-dom
import type { Agent, AgentPorts, PortLink } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { listPortLinks, listPorts, portTicket, revokePortLink } from '@/api/agents/ports.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { asked } from '@/composables/useConfirm.ts'
import PortShareDialog from './PortShareDialog.vue'
import PortsTab from './PortsTab.vue'

vi.mock('@/api/agents/ports.ts')

const AGENT = { id: '1', name: 'harbour', state: 'running', relation: 'owner', isSystem: false } as Agent
const STOPPED = { ...AGENT, state: 'stopped' } as const
const link = (port: number): PortLink => ({
  id: `of ${port}`,
  port,
  createdBy: { id: 'u', email: 'ann@example.org' },
  createdAt: '2026-11-28T00:00:00.000Z',
  expiresAt: '2026-12-05T00:00:00.000Z',
})
const PORTS = {
  items: [{ port: 5173, addresses: ['127.0.0.1'], process: null }],
  unavailable: null,
} as unknown as AgentPorts

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(listPorts).mockResolvedValue(PORTS)
  vi.mocked(listPortLinks).mockResolvedValue([link(5173), link(8080)])
})
enableAutoUnmount(afterEach)

async function shown(agent: Agent, path = '/') {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: PortsTab }] })
  await router.push(path)
  const tab = mount(PortsTab, {
    props: { agent },
    global: { plugins: [router], stubs: { UIcon: true, PortShareDialog: true } },
  })
  await flushPromises()
  const rows = (): string[] => tab.findAll('[data-testid="port-link"]').map((row) => row.text().slice(0, 9))
  return { tab, rows, router }
}

test('the links to all ports are listed and revoked also while the agent is stopped', async () => {
  const { tab, rows } = await shown(STOPPED)
  expect(rows()).toEqual(['Port 5173', 'Port 8080'])
  await tab.get('[data-testid="row-remove"]').trigger('click')
  expect(asked.value?.title).toBe('Revoke this link?')
  expect(revokePortLink).not.toHaveBeenCalled()
  asked.value?.answer(true)
  await flushPromises()
  expect(revokePortLink).toHaveBeenCalledExactlyOnceWith('harbour', 'of 5173')
  expect(rows()).toEqual(['Port 8080'])
})

test('without a link nothing is shown of them, until one is created', async () => {
  vi.mocked(listPortLinks).mockResolvedValue([])
  const { tab, rows } = await shown(AGENT)
  expect(tab.find('[data-testid="port-links"]').exists()).toBe(false)
  await tab.get('[aria-label="Share port 5173"]').trigger('click')
  tab.getComponent(PortShareDialog).vm.$emit('created', link(5173))
  await flushPromises()
  expect(rows()).toEqual(['Port 5173'])
})

test.each<Partial<Agent>>([{ relation: 'sharee' }, { isSystem: true }])(
  'links are not asked for where the user may not have them: %o',
  async (of) => {
    const { rows } = await shown({ ...AGENT, ...of })
    expect(rows()).toEqual([])
    expect(listPortLinks).not.toHaveBeenCalled()
  },
)

test('the wanted address stays until it is open', async () => {
  const replace = vi.fn()
  vi.spyOn(window, 'open').mockReturnValue({ location: { replace }, close: vi.fn() } as unknown as Window)
  vi.mocked(portTicket)
    .mockRejectedValueOnce(unreachable(null))
    .mockResolvedValueOnce({ url: 'http://there/', expiresAt: '' })
  const { tab, router } = await shown(AGENT, '/?open=5173&path=/deep')
  const open = async (): Promise<void> => {
    await tab.get('[data-testid="port-wanted"] button').trigger('click')
    await flushPromises()
  }
  await open()
  expect(router.currentRoute.value.query).toEqual({ open: '5173', path: '/deep' })
  await open()
  expect(portTicket).toHaveBeenLastCalledWith('harbour', 5173, '/deep')
  expect(replace).toHaveBeenCalledExactlyOnceWith('http://there/')
  expect(router.currentRoute.value.query).toEqual({})
})
