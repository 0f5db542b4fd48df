import { beforeEach, describe, expect, it } from 'vitest'
import { TestClock } from '../../../../test/support/clock.ts'
import { Signal } from '../../../lib/emitter.ts'
import type { ContainerInfo } from '../../../runtime/port.ts'
import { Board, type Listed } from './board.ts'

const info = (change: Partial<ContainerInfo> = {}): ContainerInfo => ({
  id: 'c1',
  agentId: 'a',
  running: true,
  exitCode: null,
  oomKilled: false,
  fingerprint: 'f',
  startedAt: new Date(0),
  ...change,
})
const about = { agentId: 'a', containerId: 'c1' }
const started = { type: 'started', ...about } as const
const oom = { type: 'oom', ...about } as const
const removed = { type: 'removed', ...about } as const
const died = (exitCode: number) => ({ type: 'died', ...about, exitCode }) as const

let clock: TestClock
let board: Board
/** What the engine has: these containers, and the homes of all agents. */
const listed = (...containers: ContainerInfo[]): Listed => ({ containers, homes: new Set(['a', 'b']) })
let told: string[]
const shown = () => {
  const { state, reason } = board.get('a')
  return reason ? `${state}: ${reason.code}` : state
}

beforeEach(() => {
  clock = new TestClock()
  const changed = new Signal<string>()
  told = []
  changed.on(() => told.push(shown()))
  board = new Board(clock, changed)
  board.add('a')
  board.load(listed(info()), board.revision)
  told = []
})

describe('events', () => {
  it('move the state, and tell of it once each', () => {
    board.apply(died(1))
    board.apply(died(1))
    board.apply(started)
    board.apply(removed)
    expect(told).toEqual(['failed: exited', 'running', 'failed: removed'])
  })

  it('say that the container was removed, also when another end came a moment before', () => {
    board.apply(died(137))
    board.apply(removed)
    expect(shown()).toBe('failed: removed')
  })

  it('of another container, or another agent, change nothing', () => {
    board.apply({ ...died(1), containerId: 'c0' })
    board.apply({ ...removed, agentId: 'b' })
    board.apply({ type: 'exec_died', execId: 'e', exitCode: 0 })
    expect([shown(), told]).toEqual(['running', []])
    expect(board.has('b')).toBe(false)
  })

  it('put an end down to memory within 10 s of a memory kill, in either order', () => {
    board.apply(oom)
    clock.advance(9_000)
    board.apply(died(137))
    expect(shown()).toBe('failed: out_of_memory')
    board.apply(started)
    clock.advance(20_000)
    board.apply(died(137))
    expect(shown()).toBe('failed: exited')
    board.apply(oom)
    expect(shown()).toBe('failed: out_of_memory')
  })

  it('tell since when', () => {
    clock.advance(5000)
    board.apply(died(1))
    expect(board.get('a').since.getTime()).toBe(clock.now())
    clock.advance(5000)
    board.apply(died(1))
    expect(board.get('a').since.getTime()).toBe(clock.now() - 5000)
  })
})

describe('an operation', () => {
  it('holds events back until it is over', () => {
    board.begin('a', 'starting')
    board.apply(died(143))
    board.apply(started)
    expect([shown(), board.get('a').runningId]).toEqual(['starting', null])
    board.settle('a', { container: info() })
    expect(told).toEqual(['starting', 'running'])
    expect(board.get('a').runningId).toBe('c1')
  })

  it('is not overturned by the end that it asked for', () => {
    board.begin('a', 'stopping')
    board.settle('a', { container: info({ running: false }) })
    board.apply(died(143))
    expect(shown()).toBe('stopped')
  })

  it('sees an end that came right after its success', () => {
    board.begin('a', 'starting')
    board.apply(died(1))
    board.settle('a', { container: info() })
    expect(shown()).toBe('failed: exited')
  })

  it('ignores what happens to the container that it replaced', () => {
    board.begin('a', 'starting')
    board.apply(died(137))
    board.settle('a', { container: info({ id: 'c2' }) })
    board.apply(removed)
    expect([shown(), board.get('a').runningId]).toEqual(['running', 'c2'])
  })

  it('that fails leaves its reason until it runs again', () => {
    board.begin('a', 'creating')
    board.settle('a', { container: null, failure: { code: 'image_missing', message: 'm' } })
    expect(shown()).toBe('failed: image_missing')
    board.load(listed(), board.revision)
    expect(shown()).toBe('failed: image_missing')
  })

  it('keeps the known state if the engine could not tell the outcome', () => {
    board.begin('a', 'stopping')
    board.settle('a', { container: undefined, failure: { code: 'engine_unavailable', message: 'm' } })
    expect([shown(), board.get('a').runningId]).toEqual(['running', 'c1'])
  })

  it('on an agent that was forgotten meanwhile brings nothing back', () => {
    board.begin('a', 'deleting')
    board.forget('a')
    board.settle('a', { container: info() })
    expect([board.has('a'), board.get('a').runningId]).toEqual([false, null])
  })
})

describe('an engine that comes and goes', () => {
  it('is every agent’s reason while it is away, and tells the truth when it is back', () => {
    board.apply({ type: 'disconnected' })
    expect(shown()).toBe('failed: engine_unavailable')
    board.load(listed(info()), board.revision)
    expect(told).toEqual(['failed: engine_unavailable', 'running'])
  })

  it.each([
    [info({ running: false, exitCode: 1 }), 'failed: exited'],
    [info({ running: false, exitCode: 143 }), 'stopped: exited'],
    [info({ running: false, exitCode: 137, oomKilled: true }), 'failed: out_of_memory'],
    [null, 'failed: removed'],
  ])('shows what became of a container meanwhile (%#)', (container, state) => {
    board.apply({ type: 'disconnected' })
    board.load(container ? listed(container) : listed(), board.revision)
    expect(shown()).toBe(state)
  })

  it('does not complain at the first start about containers that were stopped in order', () => {
    const fresh = new Board(clock, new Signal<string>())
    for (const id of ['a', 'b']) fresh.add(id)
    const stopped = [info({ running: false, exitCode: 143 }), info({ agentId: 'b', running: false, exitCode: 1 })]
    fresh.load(listed(...stopped), fresh.revision)
    expect(fresh.get('a')).toMatchObject({ state: 'stopped', reason: null })
    expect(fresh.get('b')).toMatchObject({ state: 'failed', reason: { code: 'exited' } })
  })

  it('promises no home that is gone, as after a deletion that was cut off', () => {
    const gone = { containers: [], homes: new Set<string>() }
    const reason = (of: Board): string => of.get('a').reason?.message ?? ''
    const fresh = new Board(clock, new Signal<string>())
    fresh.add('a')
    fresh.load(listed(), fresh.revision)
    expect(reason(fresh)).toContain('The home is kept.')
    fresh.load(gone, fresh.revision)
    expect(fresh.get('a').state).toBe('stopped')
    expect(reason(fresh)).toContain('The container and the home are missing.')

    board.load(gone, board.revision)
    expect([shown(), reason(board)]).toEqual(['failed: removed', reason(fresh)])
    // A start makes a new home.
    board.begin('a', 'starting')
    board.settle('a', { container: info() })
    board.apply({ type: 'removed', agentId: 'a', containerId: 'c1' })
    expect(reason(board)).toContain('The home is kept.')
  })

  it('promises no home that a deletion has removed before it failed, also if the engine could not tell of the container', () => {
    const failure = { code: 'engine_error', message: 'm' } as const
    const message = (): string | undefined => board.get('a').reason?.message
    board.begin('a', 'deleting')
    board.apply(removed)
    board.settle('a', { container: undefined, hasHome: false, failure })
    expect(message()).toContain('The container and the home are missing.')
    board.begin('a', 'starting')
    board.settle('a', { container: info() })
    board.begin('a', 'deleting')
    board.settle('a', { container: null, hasHome: false, failure })
    board.begin('a', 'stopping')
    board.settle('a', { container: null })
    expect(message()).toContain('The container and the home are missing.')
  })

  it('does not overturn a later operation', () => {
    const { revision } = board
    board.begin('a', 'starting')
    board.settle('a', { container: info({ id: 'c2' }) })
    board.load(listed(info({ running: false, exitCode: 1 })), revision)
    expect([shown(), board.get('a').runningId]).toEqual(['running', 'c2'])
    board.begin('a', 'stopping')
    board.load(listed(), board.revision)
    expect(shown()).toBe('stopping')
  })
})
