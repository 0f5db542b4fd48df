/** What the kernel counts and says of processes that it killed for memory, parsed. */

/** The container's own counters: control groups of version 2 and 1 keep them in different files. */
export const MEMORY_COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control']

/** The number of kills in one of {@link MEMORY_COUNTERS}; null where it is in none of the lines. */
export const killsIn = (counters: string): number | null => {
  const count = /^oom_kill (\d{1,15})$/m.exec(counters)?.[1]
  return count === undefined ? null : Number(count)
}

/**
 * The kernel's line about one kill. The process's name, which anybody may choose, comes last and is not read. The control
 * group is a path that ends in the container's id (cgroupfs) or in `docker-<id>.scope` (systemd), in both versions.
 */
const KILL = /^oom-kill:constraint=[A-Z_]+,(?:(?!task=)[^\n])*?task_memcg=([^,\n]+),task=/
const CONTAINER = /(?:^|[/-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/

/** The container in which the kernel killed a process for memory; null for every other message. */
export const containerOfKill = (message: string): string | null => {
  const group = KILL.exec(message)?.[1]
  return (group && CONTAINER.exec(group)?.[1]) ?? null
}
