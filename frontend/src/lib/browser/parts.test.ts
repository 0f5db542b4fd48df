import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listenForParts, loadPart } from './parts.ts'

const problem = (code: string): Error => Object.assign(new Error(code), { code })
const FILES = ['assets/a.js', 'assets/b.js', 'assets/a.css']
const bring = vi.fn<Arrival['bring']>()
const awaits = vi.fn<(parts: number) => void>()
const isReloaded = vi.fn<(file: string) => boolean>()

beforeEach(() => {
  vi.useFakeTimers()
  bring.mockReset().mockResolvedValue()
  awaits.mockReset()
  isReloaded.mockReset().mockReturnValue(false)
  listenForParts({ awaits, isReloaded })
  vi.stubGlobal('addEventListener', vi.fn())
  vi.stubGlobal('removeEventListener', vi.fn())
  vi.stubGlobal('slipway', { bring, isLostImport: (error: unknown) => error instanceof RangeError })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('an import begins when all of its files are there', async () => {
  const arrived = Promise.withResolvers<undefined>()
  bring.mockReturnValue(arrived.promise)
  const load = vi.fn(() => Promise.resolve('part'))
  const part = loadPart(load, FILES)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([bring.mock.calls, load.mock.calls]).toEqual([[[['/assets/a.js', '/assets/b.js', '/assets/a.css']]], []])
  arrived.resolve(undefined)
  expect(await part).toBe('part')
  expect(awaits).not.toHaveBeenCalled()
})

test('a part whose files are lost is awaited, however long that takes, and is told of once', async () => {
  for (let times = 0; times < 20; times++) bring.mockRejectedValueOnce(problem('PART_LOST'))
  const part = loadPart(() => Promise.resolve('part'), FILES)
  await vi.advanceTimersByTimeAsync(99_999)
  expect(awaits.mock.calls).toEqual([[1]])
  await vi.advanceTimersByTimeAsync(1)
  expect(await part).toBe('part')
  expect([awaits.mock.calls, isReloaded.mock.calls]).toEqual([[[1], [0]], []])
})

test('a part that is awaited is requested at once when the browser has a network', async () => {
  bring.mockRejectedValueOnce(problem('PART_LOST'))
  const listen = vi.mocked(addEventListener)
  const part = loadPart(() => Promise.resolve('part'), FILES)
  await vi.advanceTimersByTimeAsync(0)
  const [event, online] = listen.mock.calls[0] as unknown as [string, () => void]
  expect(event).toBe('online')
  online()
  expect(await part).toBe('part')
})

test.each([
  ['has other files by now', () => bring.mockRejectedValue(problem('PART_REPLACED')), () => Promise.resolve(undefined)],
  ['has failed in the browser for good', () => undefined, () => Promise.reject(new RangeError('lost'))],
])('a part of which the server %s needs a reload, or fails', async (_title, given, load) => {
  given()
  await expect(loadPart(load, FILES)).rejects.toThrow()
  isReloaded.mockReturnValue(true)
  const settled = vi.fn()
  void loadPart(load, FILES).then(settled, settled)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([isReloaded.mock.calls, settled.mock.calls]).toEqual([[['assets/a.js'], ['assets/a.js']], []])
})

test("an error of the part's own code is no reason for a reload", async () => {
  const mistake = new TypeError('undefined is not a function')
  await expect(loadPart(() => Promise.reject(mistake), FILES)).rejects.toBe(mistake)
  expect(isReloaded).not.toHaveBeenCalled()
})
