/** Converts Docker's counters, or those that a script reads inside the container, to {@link ContainerUsage}. */
import type { ContainerUsage } from '../../port.ts'

/**
 * The fields of Docker's response that are used. Some are missing for a stopped container, and others depend on the
 * cgroup version.
 */
export interface RawStats {
  readonly read: string
  readonly cpu_stats?: { cpu_usage?: { total_usage?: number } }
  readonly memory_stats?: { usage?: number; limit?: number; stats?: Record<string, number> }
  readonly networks?: Record<string, { rx_bytes: number; tx_bytes: number }>
  readonly blkio_stats?: { io_service_bytes_recursive?: { op: string; value: number }[] | null }
  readonly pids_stats?: { current?: number }
}

const NANOSECONDS_PER_MS = 1e6

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

export const toUsage = (raw: RawStats): ContainerUsage => {
  const networks = Object.values(raw.networks ?? {})
  const transfers = raw.blkio_stats?.io_service_bytes_recursive ?? []
  // cgroup v1 writes "Read", v2 "read".
  const moved = (op: string): number =>
    sumOf(transfers.filter((entry) => entry.op.toLowerCase() === op).map((entry) => entry.value))
  const memory = raw.memory_stats ?? {}
  // Page cache that can be dropped is not used memory for a person. Its field differs between v2 and v1.
  const cache = memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0
  return {
    at: Date.parse(raw.read),
    cpuMs: (raw.cpu_stats?.cpu_usage?.total_usage ?? 0) / NANOSECONDS_PER_MS,
    memoryBytes: Math.max(0, (memory.usage ?? 0) - cache),
    memoryLimitBytes: memory.limit ?? 0,
    networkRxBytes: sumOf(networks.map((network) => network.rx_bytes)),
    networkTxBytes: sumOf(networks.map((network) => network.tx_bytes)),
    diskReadBytes: moved('read'),
    diskWriteBytes: moved('write'),
    processes: raw.pids_stats?.current ?? 0,
  }
}

/** Docker's time for "never". Engines that cannot read a control group respond with it, and with zeros. */
const NEVER = /^0001-/

/** False for a stopped container, and in restricted sandboxes. */
export const wasMeasured = ({ read }: Pick<RawStats, 'read'>): boolean => !NEVER.test(read)

/** Parses the output of `figures.sh`. The container may be hostile, so anything but a number counts as zero. */
export const parseFigures = (text: string): ContainerUsage => {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name = '', digits = ''] = /^([a-z]+) (\d{1,20})$/.exec(line) ?? []
    // A container may have several networks and disks.
    if (name !== '') values.set(name, (values.get(name) ?? 0) + Number(digits))
  }
  const of = (name: string): number => values.get(name) ?? 0
  return {
    at: of('time') / NANOSECONDS_PER_MS,
    cpuMs: of('cpu') / NANOSECONDS_PER_MS,
    memoryBytes: Math.max(0, of('memory') - of('cache')),
    memoryLimitBytes: of('limit'),
    networkRxBytes: of('received'),
    networkTxBytes: of('sent'),
    diskReadBytes: of('read'),
    diskWriteBytes: of('written'),
    // Without the process that measures.
    processes: Math.max(0, of('processes') - 1),
  }
}
