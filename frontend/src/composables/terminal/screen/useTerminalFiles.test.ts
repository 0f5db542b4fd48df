import { beforeEach, expect, test, vi } from 'vitest'
import { effectScope } from 'vue'
import { ApiError } from '@/api/transport/errors.ts'
import { uploadFile } from '@/api/files/files.ts'
import { useTerminalFiles } from './useTerminalFiles.ts'

vi.mock('@/api/files/files.ts', { spy: true })
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add: () => undefined }) }))

/** Longer than the list stays after every upload succeeded, in milliseconds. */
const BEYOND_LINGER_MS = 60_000

/** A terminal that takes files. `outcomes` are the results of its first uploads, in order; later uploads succeed. */
function setUp(...outcomes: Promise<string>[]) {
  vi.mocked(uploadFile).mockReset().mockResolvedValue('"1-1"')
  for (const outcome of outcomes) vi.mocked(uploadFile).mockReturnValueOnce(outcome)
  const typed: string[] = []
  const now = { connected: true, canType: true }
  const files = effectScope().run(() =>
    useTerminalFiles({
      agentKey: () => 'agent',
      connected: () => now.connected,
      canType: () => now.canType,
      paste: (text) => void typed.push(text),
    }),
  )!
  const only = () => files.uploads.value[0]!
  return { files, typed, now, only, rows: () => files.uploads.value.length }
}
const report = new File(['x'], 'my report.txt')

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

test('what arrived and is typed is listed for a moment', async () => {
  const { files, typed, rows } = setUp()
  await files.send([report])
  expect(typed).toEqual([expect.stringMatching(/^'\/home\/developer\/uploads\/\w{6}\/my report\.txt' $/)])
  expect(rows()).toBe(1)
  vi.advanceTimersByTime(BEYOND_LINGER_MS)
  expect(rows()).toBe(0)
})

test.each(['the connection', 'control'])(
  'what arrived without %s stays listed, and is typed on request',
  async (lost) => {
    const { files, typed, now, only, rows } = setUp()
    const sent = files.send([report])
    Object.assign(now, { connected: lost === 'control', canType: false })
    await sent
    vi.advanceTimersByTime(BEYOND_LINGER_MS)
    expect(typed).toEqual([])
    expect(only()).toMatchObject({ state: 'done', isUntyped: true })
    // The path is not typed while the user cannot type.
    files.typePath(only().id)
    expect(only().isUntyped).toBe(true)
    Object.assign(now, { connected: true, canType: true })
    files.typePath(only().id)
    files.typePath(only().id)
    expect(typed).toHaveLength(1)
    vi.advanceTimersByTime(BEYOND_LINGER_MS)
    expect(rows()).toBe(0)
  },
)

test('what arrived untyped is taken off the list by its person', async () => {
  const { files, now, rows } = setUp()
  now.canType = false
  await files.send([report])
  files.clear()
  expect(rows()).toBe(0)
})

test('what failed is sent again to the same place, and typed', async () => {
  const { files, typed, only } = setUp(Promise.reject(new ApiError(0, 'UNREACHABLE', 'The server was not reached.')))
  await files.send([report])
  expect(only()).toMatchObject({ state: 'failed', error: 'The server was not reached.', canRetry: true })
  const { id, path } = only()
  await files.retry(id)
  expect(only()).toMatchObject({ id, path, state: 'done', error: null, canRetry: false, isUntyped: false })
  expect(typed).toEqual([`'${path}' `])
  expect(vi.mocked(uploadFile).mock.calls.map(([, where]) => where)).toEqual([path, path])
  // A second retry has nothing to send.
  await files.retry(id)
  expect(uploadFile).toHaveBeenCalledTimes(2)
})

test('what is too large is not sent again', async () => {
  const { files, only } = setUp(Promise.reject(new ApiError(413, 'TOO_LARGE', 'This file is larger than 1 GiB.')))
  await files.send([report])
  expect(only()).toMatchObject({ state: 'failed', canRetry: false })
})
