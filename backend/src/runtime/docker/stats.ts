/** Docker's counters as figures. */
import type Docker from 'dockerode'
import type { ContainerStats } from '../port.ts'

/** CPU is the difference of the two samples that Docker sends along. */
export const toStats = (raw: Docker.ContainerStats): ContainerStats => {
  const used = raw.cpu_stats.cpu_usage.total_usage - raw.precpu_stats.cpu_usage.total_usage
  const passed = (raw.cpu_stats.system_cpu_usage ?? 0) - (raw.precpu_stats.system_cpu_usage ?? 0)
  const cpus = raw.cpu_stats.online_cpus ?? 1
  const networks = Object.values(raw.networks ?? {})
  const detail = raw.memory_stats.stats as Record<string, number> | undefined
  // Page cache that can be dropped is not what a person means by used (v2 and v1 name it differently).
  const cache = detail?.inactive_file ?? detail?.total_inactive_file ?? 0
  return {
    cpuPercent: passed > 0 ? Math.round((used / passed) * cpus * 1000) / 10 : 0,
    memoryBytes: Math.max(0, (raw.memory_stats.usage ?? 0) - cache),
    memoryLimitBytes: raw.memory_stats.limit ?? 0,
    networkRxBytes: networks.reduce((sum, network) => sum + network.rx_bytes, 0),
    networkTxBytes: networks.reduce((sum, network) => sum + network.tx_bytes, 0),
    processes: raw.pids_stats?.current ?? 0,
  }
}
