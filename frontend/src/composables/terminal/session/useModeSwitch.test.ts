import { expect, test } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import type { ConnectionStatus } from '@/stores/agents/terminals.ts'
import type { SelectedMode } from '@/terminal/session/modes.ts'
import { useModeSwitch } from './useModeSwitch.ts'

/** A terminal whose server already runs `there`, or else starts the chosen program. */
function setUp(first: ConnectionStatus) {
  const status = ref<ConnectionStatus>(first)
  const selectedMode = ref<SelectedMode>('cli')
  const done: string[] = []
  const server: { there: SelectedMode | null; may: boolean; isReturn: boolean } = {
    there: 'cli',
    may: true,
    isReturn: false,
  }
  const become = async (next: ConnectionStatus): Promise<void> => {
    status.value = next
    await nextTick()
  }
  const scope = effectScope()
  const used = scope.run(() =>
    useModeSwitch({
      status,
      selectedMode,
      connect: () => {
        server.there ??= selectedMode.value
        selectedMode.value = server.there
        done.push(`connected to ${server.there}`)
        return become('connected')
      },
      disconnect: () => {
        if (status.value === 'connected') server.there = null
        status.value = 'disconnected'
        done.push('disconnected')
      },
      isReturn: () => server.isReturn,
      mayEnd: (mode) => {
        done.push(`asked for ${mode}`)
        return Promise.resolve(server.may)
      },
      onOther: (chosen) => done.push(`not ${chosen}`),
    }),
  )!
  return { selectedMode, done, server, become, ...used }
}

test('the running program is ended for the chosen one, after a question', async () => {
  const { done, switchMode, server } = setUp('connected')
  await switchMode('cli')
  server.may = false
  await switchMode('bash')
  server.may = true
  await switchMode('bash')
  expect(done).toEqual(['asked for bash', 'asked for bash', 'disconnected', 'connected to bash'])
})

test('while the connection is lost the question is asked, and the program ends after the reconnection', async () => {
  const { done, become, next, selectedMode, switchMode } = setUp('reconnecting')
  await switchMode('bash')
  expect({ next: next.value, selected: selectedMode.value }).toEqual({ next: 'bash', selected: 'cli' })
  expect(done).toEqual(['asked for bash'])
  await become('connected')
  expect(done).toEqual(['asked for bash', 'disconnected', 'connected to bash'])
  expect({ next: next.value, selected: selectedMode.value }).toEqual({ next: null, selected: 'bash' })
})

test('a choice that waits for the connection can be cancelled', async () => {
  const { done, become, next, switchMode } = setUp('reconnecting')
  await switchMode('bash')
  await switchMode('cli')
  expect(next.value).toBeNull()
  await become('connected')
  expect(done).toEqual(['asked for bash'])
})

test('a choice that waits is there for the next connection where the session has ended meanwhile', async () => {
  const { done, become, selectedMode, switchMode } = setUp('reconnecting')
  await switchMode('bash')
  await become('disconnected')
  expect(selectedMode.value).toBe('bash')
  expect(done).toEqual(['asked for bash'])
})

test('what is chosen while something else is being started begins when that can be ended, without a question', async () => {
  const { done, become, next, switchMode } = setUp('connecting')
  await switchMode('bash')
  expect([next.value, done]).toEqual(['bash', []])
  await become('connected')
  expect([next.value, done]).toEqual([null, ['disconnected', 'connected to bash']])
})

test('what was there before is ended for what was chosen meanwhile after a question only, and not where it is the same', async () => {
  for (const may of [false, true]) {
    const { done, become, server, switchMode } = setUp('connecting')
    Object.assign(server, { may, isReturn: true })
    await switchMode('bash')
    await become('connected')
    await nextTick()
    expect(done).toEqual(['asked for bash', ...(may ? ['disconnected', 'connected to bash'] : [])])
  }
  const { done, become, server, selectedMode, switchMode } = setUp('connecting')
  server.isReturn = true
  await switchMode('bash')
  // The mode from the server arrives before the state changes.
  selectedMode.value = 'bash'
  await become('connected')
  expect(done).toEqual([])
})

test('what is chosen while a first connection fails is there for the next one', async () => {
  const { done, become, selectedMode, switchMode } = setUp('connecting')
  await switchMode('bash')
  await become('disconnected')
  expect([selectedMode.value, done]).toEqual(['bash', []])
})

test('a user who chose one program and finds another is told so, once', async () => {
  const { done, become, selectedMode, switchMode } = setUp('disconnected')
  await switchMode('bash')
  // The mode from the server arrives before the state changes.
  selectedMode.value = 'cli'
  await become('connected')
  await become('reconnecting')
  await become('connected')
  expect(done).toEqual(['not bash'])
})
