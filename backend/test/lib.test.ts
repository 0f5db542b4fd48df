import { describe, expect, it } from 'vitest'
import { Signal } from '../src/lib/emitter.ts'
import { FailureThrottle } from '../src/lib/failure-throttle.ts'
import { createIds, isUuid, lowestIdAt } from '../src/lib/ids.ts'
import { pageOf, pageStart } from '../src/lib/page.ts'
import { deriveKey, newSecret, sameHash, sha256 } from '../src/lib/secrets/secrets.ts'
import { QueueFullError, Semaphore } from '../src/lib/semaphore.ts'
import { within } from '../src/lib/time/within.ts'
import { TestClock } from './support/clock.ts'

describe('a signal', () => {
  it('reaches every listener though one of them throws', () => {
    const errors: unknown[] = []
    const heard: string[] = []
    const signal = new Signal<string>((error) => errors.push(error))
    signal.on(() => {
      throw new Error('first')
    })
    signal.on((value) => heard.push(value))
    signal.emit('x')
    expect(heard).toEqual(['x'])
    expect(errors).toEqual([new Error('first')])
  })

  it('does not reach a listener that has left, even during a message', () => {
    const signal = new Signal<void>()
    const heard: string[] = []
    signal.on(() => leave())
    const leave = signal.on(() => heard.push('left'))
    const off = signal.on(() => heard.push('stayed'))
    signal.emit()
    expect(heard).toEqual(['stayed'])
    off()
    off()
    expect(signal.size).toBe(1)
  })

  it('reaches a listener once for each time it subscribed', () => {
    const signal = new Signal<void>()
    let calls = 0
    const listener = () => void calls++
    signal.on(listener)
    signal.on(listener)()
    signal.emit()
    expect(calls).toBe(1)
  })
})

describe('what a signal tells since a moment', () => {
  it('is the first match, of the messages that came then and before it was asked', () => {
    const signal = new Signal<string>()
    signal.emit('a before')
    const since = signal.since()
    const nothing = signal.since()
    for (const word of ['b one', 'a two', 'a three']) signal.emit(word)
    expect(since.settle((word) => word.startsWith('a'))).toBe('a two')
    expect(nothing.settle((word) => word.endsWith('before'))).toBeUndefined()
    expect(signal.since().settle(() => true)).toBeUndefined()
  })

  it('is forgotten when it was asked', () => {
    const signal = new Signal<string>()
    const since = signal.since()
    expect(since.settle(() => true)).toBeUndefined()
    signal.emit('later')
    expect(since.settle(() => true)).toBeUndefined()
  })
})

describe('an id', () => {
  it('is a UUID of version 7 that sorts by time', () => {
    const clock = new TestClock()
    const newId = createIds(clock)
    const ids = Array.from({ length: 50 }, () => (clock.advance(1), newId()))
    expect(ids.every(isUuid)).toBe(true)
    expect(ids.every((id) => /^.{14}7.{4}[89ab]/.test(id))).toBe(true)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('sorts by age also within a millisecond, of which more than fit borrow from the next', () => {
    const newId = createIds(new TestClock())
    const ids = Array.from({ length: 10_000 }, newId)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every(isUuid)).toBe(true)
  })

  it('follows a clock that is set back', () => {
    const clock = new TestClock()
    const newId = createIds(clock)
    const before = newId()
    clock.advance(-600_000)
    const after = newId()
    expect(after < before).toBe(true)
    expect(newId() > after).toBe(true)
  })

  it('is told apart from those of the millisecond before', () => {
    const clock = new TestClock()
    const newId = createIds(clock)
    const before = newId()
    clock.advance(1)
    expect(before < lowestIdAt(clock.now())).toBe(true)
    expect(newId() > lowestIdAt(clock.now())).toBe(true)
    expect(lowestIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
  })

  it.each(['', 'x', 'A1900000-0000-7000-8000-000000000000', '01900000-0000-7000-8000-000000000000\n', '0'.repeat(36)])(
    'is not %j',
    (text) => expect(isUuid(text)).toBe(false),
  )
})

describe('a failure throttle', () => {
  const limits = { maxFailures: 2, windowMs: 1000, maxKeys: 3 }

  it('blocks a key until its window is over', () => {
    const clock = new TestClock()
    const throttle = new FailureThrottle(limits, clock)
    throttle.fail('a')
    expect(throttle.blockedFor('a')).toBe(0)
    clock.advance(400)
    throttle.fail('a')
    expect(throttle.blockedFor('a')).toBe(600)
    expect(throttle.blockedFor('b')).toBe(0)
    clock.advance(600)
    expect(throttle.blockedFor('a')).toBe(0)
    expect(throttle.size).toBe(0)
  })

  it('remembers no more keys than it may, and no ended one', () => {
    const clock = new TestClock()
    const throttle = new FailureThrottle(limits, clock)
    for (const key of ['a', 'b', 'c', 'd']) throttle.fail(key)
    expect(throttle.size).toBe(3)
    clock.advance(1000)
    throttle.fail('e')
    expect(throttle.size).toBe(1)
  })

  it('forgets a key that succeeded', () => {
    const throttle = new FailureThrottle(limits, new TestClock())
    throttle.fail('a')
    throttle.fail('a')
    throttle.clear('a')
    expect(throttle.blockedFor('a')).toBe(0)
  })
})

describe('a semaphore', () => {
  it('runs so many at once, the rest in order, and refuses what the queue cannot hold', async () => {
    const semaphore = new Semaphore(1, 1)
    const gate = Promise.withResolvers<undefined>()
    const order: string[] = []
    const first = semaphore.run(() => gate.promise.then(() => void order.push('first')))
    const second = semaphore.run(() => Promise.resolve(void order.push('second')))
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow(QueueFullError)
    gate.resolve(undefined)
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second'])
  })

  it('is left by work that is aborted before its turn, which makes room for another', async () => {
    const semaphore = new Semaphore(1, 1)
    const gate = Promise.withResolvers<undefined>()
    const abort = new AbortController()
    const order: string[] = []
    const first = semaphore.run(() => gate.promise)
    const second = semaphore.run(() => Promise.resolve(void order.push('second')), abort.signal)
    abort.abort('cancelled')
    await expect(second).rejects.toMatchObject({ cause: 'cancelled' })
    const third = semaphore.run(() => Promise.resolve(void order.push('third')))
    gate.resolve(undefined)
    await Promise.all([first, third])
    expect(order).toEqual(['third'])
  })

  it('gives its slot back when the work fails', async () => {
    const semaphore = new Semaphore(1, 0)
    await expect(semaphore.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x')
    await expect(semaphore.run(() => Promise.resolve('y'))).resolves.toBe('y')
  })
})

describe('a page', () => {
  const present = (row: string) => row.toUpperCase()
  it('says where the next one begins only if there is one', () => {
    const page = pageOf(['a', 'b', 'c'], 2, (row) => row, present)
    expect(page.items).toEqual(['A', 'B'])
    expect(pageStart({ cursor: page.nextCursor ?? '' }, 10)).toEqual({ limit: 10, after: 'b' })
    expect(pageOf(['a', 'b'], 2, (row) => row, present).nextCursor).toBeNull()
    expect(pageOf([], 2, (row: string) => row, present)).toEqual({ items: [], nextCursor: null })
  })

  it.each(['!', 'YQ==', 'AAAA', '/w'])('does not begin at %j', (cursor) => {
    expect(() => pageStart({ cursor }, 10)).toThrow('cursor')
  })
})

describe('secrets', () => {
  it('are long, new each time, and compared whole', () => {
    expect(newSecret()).toMatch(/^[\w-]{43}$/)
    expect(newSecret()).not.toBe(newSecret())
    expect(sameHash(sha256('a'), sha256('a'))).toBe(true)
    expect(sameHash(sha256('a'), sha256('b'))).toBe(false)
    expect(sameHash('a', 'aa')).toBe(false)
  })

  it('have one key for each purpose', () => {
    const key = new TextEncoder().encode('secret')
    expect(deriveKey(key, 'a')).toEqual(deriveKey(key, 'a'))
    expect(deriveKey(key, 'a')).not.toEqual(deriveKey(key, 'b'))
    expect(deriveKey(key, 'a')).toHaveLength(32)
  })
})

describe('waiting within a time', () => {
  it('ends with the work, or says that it is late', async () => {
    let late = 0
    await within(10_000, Promise.resolve(), () => (late += 1))
    expect(late).toBe(0)
    await within(5, new Promise(() => undefined), () => (late += 1))
    expect(late).toBe(1)
    await expect(within(10_000, Promise.reject(new Error('failed')), () => undefined)).rejects.toThrow('failed')
  })
})
