/** Counts everything that a server could leave open: by its own figures, the kernel's, and the engine's. */
import { readdir, readlink } from 'node:fs/promises'
import type { Api } from '../harness/api.ts'
import { docker } from '../harness/engine.ts'
import type { World } from '../harness/world.ts'

export type Counts = Readonly<Record<string, number>>

/** The server's metrics that count here. Node itself counts handles and timers: `nodejs_active_resources`. */
const FIGURES =
  /^(slipway_websockets|slipway_terminal_sessions|slipway_database_(?:connections|waiting)|nodejs_active_resources)(?:\{(.*)\})? (\S+)$/gm

/** Closes the connection. Otherwise it would count itself the next time. */
const metricsOf = async ({ base, token }: Api): Promise<string> => {
  const response = await fetch(`${base}/api/metrics`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  })
  if (!response.ok) throw new Error(`the metrics were answered with ${response.status}`)
  return response.text()
}

/** Open descriptors by kind. Files do not count, because the embedded database keeps a varying number open. */
const descriptorsOf = async (pid: number): Promise<Counts> => {
  const counts: Record<string, number> = { sockets: 0, pipes: 0 }
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    if (target.startsWith('socket:')) counts['sockets']! += 1
    if (target.startsWith('pipe:')) counts['pipes']! += 1
  }
  return counts
}

/** The counts of the server. */
export const serverCounts = async (world: World, api: Api): Promise<Counts> => {
  const counts: Record<string, number> = {}
  for (const [, name, labels, value] of (await metricsOf(api)).matchAll(FIGURES)) {
    const key = `${name ?? ''}${labels === undefined ? '' : ` ${labels}`}`
    // The list of resources changes between checks. A missing one counts as zero.
    if (Number(value) !== 0) counts[key] = Number(value)
  }
  return { ...counts, ...(await descriptorsOf(world.backend.pid)) }
}

/** Processes in the containers, and execs that the engine still runs. */
export const engineCounts = async (world: World): Promise<Counts> => {
  const filters = { label: [`${world.namespace}.managed=true`] }
  let [execs, processes] = [0, 0]
  for (const { Id } of await docker.listContainers({ filters })) {
    const container = docker.getContainer(Id)
    const { ExecIDs } = (await container.inspect()) as { ExecIDs: string[] | null }
    execs += ExecIDs?.length ?? 0
    const { Processes } = (await container.top()) as { Processes: unknown[] }
    processes += Processes.length
  }
  return { execs, processes }
}

/** Counts that differ: name, before, after. */
export const differences = (before: Counts, after: Counts): [string, number, number][] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, number, number] => [name, before[name] ?? 0, after[name] ?? 0])
    .filter(([, was, is]) => was !== is)
