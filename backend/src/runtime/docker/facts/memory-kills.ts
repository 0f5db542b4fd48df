/** Parses the kernel's counters and records of processes that were killed for memory. */

/** The container's own counters. Control groups of version 2 and of version 1 have different files. */
export const MEMORY_COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control']

/** The number of kills in one of {@link MEMORY_COUNTERS}; null: it has none. */
export const killsIn = (counters: string): number | null => {
  const count = /^oom_kill (\d{1,15})$/m.exec(counters)?.[1]
  return count === undefined ? null : Number(count)
}

/**
 * The kernel's record of one kill. The name of the process comes last and is not read, because any program can choose
 * it. In both versions of control groups the path ends in the container's id (cgroupfs), or in `docker-<id>.scope`
 * (systemd).
 */
const KILL = /^oom-kill:constraint=[A-Z_]+,(?:(?!task=)[^\n])*?task_memcg=([^,\n]+),task=/
const CONTAINER = /(?:^|[/-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/

/** The container whose process the kernel killed for memory; null for other records. */
export const containerOfKill = (message: string): string | null => {
  const group = KILL.exec(message)?.[1]
  return (group && CONTAINER.exec(group)?.[1]) ?? null
}
