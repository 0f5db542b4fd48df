import { describe, expect, it } from 'vitest'
import type { ContainerProcess } from '../../../runtime/port.ts'
import { cpuTimesOf, usedBetween } from './cpu.ts'

const RUN = { sessionId: 'run', leader: '10:10' }

const process = (pid: number, more: Partial<ContainerProcess> = {}): ContainerProcess => ({
  pid,
  ppid: 1,
  session: pid,
  startTicks: pid,
  cpuMs: 100,
  memoryBytes: 0,
  ignoresHangup: false,
  command: '',
  terminalSession: null,
  startedAt: null,
  ...more,
})
const found = (...all: ContainerProcess[]): string[] => [...cpuTimesOf(all, RUN).keys()].toSorted()

describe('the processes of a run', () => {
  const leader = process(10)
  it.each<[which: string, process: ContainerProcess]>([
    ['a child', process(11, { ppid: 10 })],
    ['a member of its session whose parent is gone', process(11, { session: 10 })],
    ['one in another session that has its mark', process(11, { terminalSession: 'run' })],
  ])('are its first one and %s', (_which, one) => {
    expect(found(process(1), leader, one, process(20))).toEqual(['10:10', '11:11'])
  })

  it('are the descendants of a child in another session, too', () => {
    const all = [process(13, { ppid: 12 }), process(12, { ppid: 11 }), process(11, { ppid: 10 }), leader]
    expect(found(...all)).toEqual(['10:10', '11:11', '12:12', '13:13'])
  })

  it('are none of a new process with the pid of its first one, nor of another session', () => {
    const other = process(11, { terminalSession: 'other' })
    expect(found(process(10, { startTicks: 99 }), process(12, { session: 10 }), other)).toEqual([])
  })

  it('are found once if they claim to be the parents of each other', () => {
    expect(found(process(10, { ppid: 11 }), process(11, { ppid: 10 }))).toEqual(['10:10', '11:11'])
  })
})

describe('the CPU time between two looks', () => {
  const before = new Map([
    ['10:10', 500],
    ['11:11', 300],
  ])

  it.each<[what: string, now: readonly (readonly [string, number])[], ms: number]>([
    ['nothing, if nothing has changed', [...before], 0],
    ['what the processes used', [['10:10', 520], ['11:11', 310]], 30], // oxfmt-ignore
    ['all that a new process used', [...before, ['12:12', 40]], 40],
    ['nothing of a process that has ended', [['10:10', 500]], 0],
    ['nothing of one that claims to have used less', [['10:10', 100], ['11:11', 300]], 0], // oxfmt-ignore
  ])('is %s', (_what, now, ms) => {
    expect(usedBetween(before, new Map(now))).toBe(ms)
  })
})
