import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Question } from './highlight.ts'
import { languageOf, languageOfPath } from './language.ts'

/** A worker that answers nothing by itself: the grammar of its code takes minutes. */
class BusyWorker {
  static all: BusyWorker[] = []
  readonly asked: Question[] = []
  isTerminated = false
  onmessage: (event: { data: unknown }) => void = () => undefined

  constructor() {
    BusyWorker.all.push(this)
  }
  postMessage(question: Question): void {
    this.asked.push(question)
  }
  terminate(): void {
    this.isTerminated = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', BusyWorker)
  BusyWorker.all = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe('code that keeps the worker busy', () => {
  it('stays plain, and later code is coloured by another worker', async () => {
    const { highlight } = await import('./highlight.ts')
    const both = [highlight('((((', 'bash'), highlight('ls', 'bash')]
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await Promise.all(both)).toEqual([null, null])
    const later = highlight('echo', 'bash')
    const [first, second] = BusyWorker.all
    expect([first?.isTerminated, second?.isTerminated]).toEqual([true, false])
    second?.onmessage({ data: { id: second.asked[0]?.id, lines: [[['echo', '#000', '#fff']]] } })
    expect(await later).toEqual([[['echo', '#000', '#fff']]])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(second?.isTerminated).toBe(false)
  })
})

it.each(['constructor', '__proto__', 'toString', 'no-such-language'])('knows no language %s', (name) => {
  expect(languageOf(name)).toBeNull()
  expect(languageOfPath(`a.${name}`)).toBeNull()
})
