import { describe, expect, it } from 'vitest'
import type { ContainerProcess } from '../../../runtime/port.ts'
import type { Found } from '../../agents/service.ts'
import { leftRunning, ProcessService } from './processes.ts'

const process = (
  pid: number,
  ppid: number,
  session: number,
  terminalSession: string | null = null,
): ContainerProcess => ({
  pid,
  ppid,
  session,
  terminalSession,
  startTicks: pid,
  cpuMs: 0,
  memoryBytes: 0,
  ignoresHangup: false,
  command: `program ${pid}`,
  startedAt: null,
})
const container = [process(1, 0, 1), process(6, 1, 1)]
const left = (processes: ContainerProcess[], ...open: string[]): number[] =>
  leftRunning(
    [...container, ...processes],
    open.map((sessionId) => ({ sessionId, leader: null })),
  ).map(({ pid }) => pid)

describe('the processes that are left running', () => {
  it('is nothing in a fresh container', () => {
    expect(left([])).toEqual([])
  })

  it('does not hold what an open terminal runs, in any of its sessions', () => {
    const open = [process(10, 0, 10, 'A'), process(11, 10, 10, 'A'), process(12, 11, 12, 'A'), process(13, 12, 12)]
    expect(left(open, 'A')).toEqual([])
  })

  it('holds what detached itself from an open terminal', () => {
    expect(left([process(10, 0, 10, 'A'), process(20, 1, 20, 'A')], 'A')).toEqual([20])
  })

  it('holds what an ended terminal left, also where the mark was cleared', () => {
    expect(left([process(20, 1, 10, 'A'), process(21, 1, 30), process(22, 21, 30)])).toEqual([20, 21, 22])
  })

  it('does not hold a terminal that was taken over, nor its holder, but an imitation of it', () => {
    const held = [process(10, 1, 10), process(11, 10, 11, 'A'), process(12, 11, 11), process(13, 12, 13)]
    const taken = leftRunning([...container, ...held], [{ sessionId: 'A', leader: '11:11' }])
    expect(taken).toEqual([])
    const reused = leftRunning([...container, ...held], [{ sessionId: 'A', leader: '11:10' }])
    expect(reused.map(({ pid }) => pid)).toEqual([10, 11, 12, 13])
  })

  it("does not hold the platform's own short programs", () => {
    expect(left([process(40, 0, 40), process(41, 40, 40)])).toEqual([])
  })

  it('survives a process that claims to be its own parent', () => {
    expect(left([process(50, 50, 50), process(51, 52, 51), process(52, 51, 52)])).toEqual([50, 51, 52])
  })
})

describe('the list of processes', () => {
  const id = '01a200b0-a51d-7ba6-bd0f-eaf8caf6ac55'
  const found = { row: { id: 'agent' } } as unknown as Found
  const serviceOf = (asked: string[], isKnown = true) =>
    new ProcessService({
      runtime: { processes: () => Promise.resolve([process(20, 1, 20, id), process(21, 1, 21, '-'.repeat(36))]) },
      agents: { snapshot: () => ({ runningId: 'container' }) },
      attended: () => [],
      recovered: () => Promise.resolve(isKnown),
      records: {
        origins: (_agentId: string, ids: string[]) => {
          asked.push(...ids)
          return Promise.resolve(new Map())
        },
      },
    } as unknown as ConstructorParameters<typeof ProcessService>[0])

  it('asks the database for ids alone, even if a program claims to be something else', async () => {
    const asked: string[] = []
    const listed = await serviceOf(asked).list(found)
    expect(listed.map(({ pid }) => pid)).toEqual([20, 21])
    expect(asked).toEqual([id])
  })

  it('is refused while it is not known which terminals go on, so that none of their programs is ended', async () => {
    const service = serviceOf([], false)
    await expect(service.list(found)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    await expect(service.end(found, 20)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  })
})
