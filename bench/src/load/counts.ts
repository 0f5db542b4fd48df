/** Everything that a server could leave open, counted from outside: its own figures, the kernel's, and the engine's. */
import { readdir, readlink } from 'node:fs/promises'
import type { Api } from '../harness/api.ts'
import { docker } from '../harness/engine.ts'
import type { World } from '../harness/world.ts'

export type Counts = Readonly<Record<string, number>>

/** Of what the server tells about itself. Handles and timers are Node's own count: `nodejs_active_resources`. */
const FIGURES =
  /^(slipway_websockets|slipway_terminal_sessions|slipway_database_(?:connections|waiting)|nodejs_active_resources)(?:\{(.*)\})? (\S+)$/gm

/** Without keeping the connection, which would count itself the next time. */
const metricsOf = async ({ base, token }: Api): Promise<string> => {
  const response = await fetch(`${base}/api/metrics`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  })
  if (!response.ok) throw new Error(`the metrics were answered with ${response.status}`)
  return response.text()
}

/** Open descriptors by what they are; the embedded database keeps files open as it likes, so those are no measure. */
const descriptorsOf = async (pid: number): Promise<Counts> => {
  const counts: Record<string, number> = { sockets: 0, pipes: 0 }
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    if (target.startsWith('socket:')) counts['sockets']! += 1
    if (target.startsWith('pipe:')) counts['pipes']! += 1
  }
  return counts
}

/** What the server holds. */
export const serverCounts = async (world: World, api: Api): Promise<Counts> => {
  const counts: Record<string, number> = {}
  for (const [, name, labels, value] of (await metricsOf(api)).matchAll(FIGURES)) {
    const key = `${name ?? ''}${labels === undefined ? '' : ` ${labels}`}`
    // Which resources are there at all changes from one look to the next: what is not named is none.
    if (Number(value) !== 0) counts[key] = Number(value)
  }
  return { ...counts, ...(await descriptorsOf(world.backend.pid)) }
}

/** What runs in the containers, and how many execs the engine has under way. */
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

/** What is not as it was: name, before, after. */
export const differences = (before: Counts, after: Counts): [string, number, number][] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, number, number] => [name, before[name] ?? 0, after[name] ?? 0])
    .filter(([, was, is]) => was !== is)
