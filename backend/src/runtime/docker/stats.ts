/** Docker's counters as figures. */
import type { ContainerStats } from '../port.ts'

interface CpuSample {
  cpu_usage?: { total_usage?: number }
  system_cpu_usage?: number
  online_cpus?: number
}

/** What is read of Docker's answer. It leaves out what a stopped container or the other cgroup version does not have. */
export interface RawStats {
  cpu_stats?: CpuSample
  precpu_stats?: CpuSample
  memory_stats?: { usage?: number; limit?: number; stats?: Record<string, number> }
  networks?: Record<string, { rx_bytes: number; tx_bytes: number }>
  pids_stats?: { current?: number }
}

const usageOf = (sample: CpuSample | undefined): number => sample?.cpu_usage?.total_usage ?? 0

/** CPU is the difference of the two samples that Docker sends along. */
export const toStats = (raw: RawStats): ContainerStats => {
  const used = usageOf(raw.cpu_stats) - usageOf(raw.precpu_stats)
  const passed = (raw.cpu_stats?.system_cpu_usage ?? 0) - (raw.precpu_stats?.system_cpu_usage ?? 0)
  const networks = Object.values(raw.networks ?? {})
  const memory = raw.memory_stats ?? {}
  // Page cache that can be dropped is not what a person means by used (v2 and v1 name it differently).
  const cache = memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0
  return {
    cpuPercent: passed > 0 ? Math.round((used / passed) * (raw.cpu_stats?.online_cpus ?? 1) * 1000) / 10 : 0,
    memoryBytes: Math.max(0, (memory.usage ?? 0) - cache),
    memoryLimitBytes: memory.limit ?? 0,
    networkRxBytes: networks.reduce((sum, network) => sum + network.rx_bytes, 0),
    networkTxBytes: networks.reduce((sum, network) => sum + network.tx_bytes, 0),
    processes: raw.pids_stats?.current ?? 0,
  }
}
