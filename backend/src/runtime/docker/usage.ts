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

/** Docker's "never". Engines that cannot read a control group answer so, with zeros for everything. */
const NEVER = /^0001-/

/** Whether the engine measured anything: of a stopped container, and in restricted sandboxes, it does not. */
export const wasMeasured = ({ read }: { readonly read: string }): boolean => !NEVER.test(read)

/** What `figures.sh` measured inside the container. */
export const parseFigures = (text: string): ContainerStats => {
  const values = new Map<string, number[]>()
  for (const line of text.split('\n')) {
    const [, name = '', digits = ''] = /^([a-z]+) (\d{1,20})$/.exec(line) ?? []
    if (name !== '') values.set(name, [...(values.get(name) ?? []), Number(digits)])
  }
  const of = (name: string): number => values.get(name)?.[0] ?? 0
  const sum = (name: string): number => (values.get(name) ?? []).reduce((total, value) => total + value, 0)
  const passed = (name: string): number => (values.get(name)?.[1] ?? 0) - of(name)
  return {
    cpuPercent: passed('time') > 0 ? Math.round((passed('cpu') / passed('time')) * 1000) / 10 : 0,
    memoryBytes: Math.max(0, of('memory') - of('cache')),
    memoryLimitBytes: of('limit'),
    networkRxBytes: sum('received'),
    networkTxBytes: sum('sent'),
    // Without the one that measured.
    processes: Math.max(0, of('processes') - 1),
  }
}
