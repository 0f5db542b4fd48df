/** The CPU time of the processes of a run. A container may claim anything about its processes. */
import type { ContainerProcess } from '../../../runtime/port.ts'

/** What is needed to find the processes of a session. */
export interface Tree {
  /** The id of the session, which marks its processes. */
  readonly sessionId: string
  /** Its first process, as in `Program.leader`. */
  readonly leader: string
}

/** The CPU time of each process, in milliseconds, by its name. */
export type CpuTimes = ReadonlyMap<string, number>

/** Unique, also after the pid belongs to another process. */
const nameOf = ({ pid, startTicks }: ContainerProcess): string => `${pid}:${startTicks}`

/**
 * The CPU times of all processes that a session started: those with its mark, its first process with the members of that
 * one's session, and the descendants of all of them.
 */
export const cpuTimesOf = (all: readonly ContainerProcess[], { sessionId, leader }: Tree): CpuTimes => {
  const session = all.find((process) => nameOf(process) === leader)?.pid
  const children = Map.groupBy(all, ({ ppid }) => ppid)
  const times = new Map<string, number>()
  const pending = all.filter((one) => one.terminalSession === sessionId || one.session === session)
  for (let process = pending.pop(); process; process = pending.pop()) {
    const name = nameOf(process)
    if (times.has(name)) continue
    times.set(name, process.cpuMs)
    pending.push(...(children.get(process.pid) ?? []))
  }
  return times
}

/** How much CPU time was used between two looks, in milliseconds. A process that ended is counted with its parent. */
export const usedBetween = (before: CpuTimes, now: CpuTimes): number =>
  [...now].reduce((sum, [name, ms]) => sum + Math.max(0, ms - (before.get(name) ?? 0)), 0)
