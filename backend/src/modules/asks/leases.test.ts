import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Asked, Leases } from './leases.ts'

const ASKED: Asked = { agentId: 'agent', askId: 'one' }
const scene = () => {
  const over: string[] = []
  const leases = new Leases(({ askId }) => over.push(askId))
  leases.open(ASKED, 1000)
  return { leases, over }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a question of a program', () => {
  it('is over once nothing has waited for it for a while', () => {
    const { leases, over } = scene()
    vi.advanceTimersByTime(999)
    const leave = leases.wait(ASKED)
    vi.advanceTimersByTime(100_000)
    leave(500)
    vi.advanceTimersByTime(499)
    expect(over).toEqual([])
    vi.advanceTimersByTime(1)
    expect(over).toEqual(['one'])
  })

  it('goes on while one of several requests waits', () => {
    const { leases, over } = scene()
    const leaves = [leases.wait(ASKED), leases.wait(ASKED)]
    leaves[0]?.(0)
    vi.advanceTimersByTime(100_000)
    expect(over).toEqual([])
    leaves[1]?.(0)
    vi.advanceTimersByTime(0)
    expect(over).toEqual(['one'])
  })

  it('is not over if it was closed, or the server stops', () => {
    const { leases, over } = scene()
    const leave = leases.wait(ASKED)
    leases.close(ASKED)
    leave(0)
    leases.open({ ...ASKED, askId: 'two' }, 0)
    leases.stop()
    vi.advanceTimersByTime(100_000)
    expect(over).toEqual([])
    expect(leases.count('agent')).toBe(0)
  })

  it('is over again if it could not be closed, unless a request waits for it then', () => {
    const { leases, over } = scene()
    vi.advanceTimersByTime(1000)
    leases.retry(ASKED, 1000)
    vi.advanceTimersByTime(1000)
    expect(over).toEqual(['one', 'one'])
    const leave = leases.wait(ASKED)
    leases.retry(ASKED, 1000)
    vi.advanceTimersByTime(100_000)
    leave(500)
    vi.advanceTimersByTime(500)
    expect(over).toEqual(['one', 'one', 'one'])
    leases.close(ASKED)
    leases.retry(ASKED, 0)
    vi.advanceTimersByTime(100_000)
    expect(over).toHaveLength(3)
  })

  it('counts for its own agent', () => {
    const { leases } = scene()
    leases.open({ ...ASKED, askId: 'two' }, 1000)
    leases.open({ agentId: 'other', askId: 'one' }, 1000)
    expect(['agent', 'other', 'none'].map((id) => leases.count(id))).toEqual([2, 1, 0])
  })
})
