/** Which cores a process may use: what stands for two machines has to be kept apart. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Of all its threads, and of what it starts from now on. */
const taskset = (pid: number, cores: string): Promise<unknown> => run('taskset', ['-a', '-c', '-p', cores, String(pid)])

const coresOf = async (pid: number): Promise<string> => {
  const { stdout } = await run('taskset', ['-c', '-p', String(pid)])
  const cores = /: ([\d,-]+)\s*$/.exec(stdout)?.[1]
  if (cores === undefined) throw new Error(`taskset said: ${stdout}`)
  return cores
}

/** Does something while the processes are kept to their cores. */
export const onCores = async <T>(placing: ReadonlyMap<number, string>, act: () => Promise<T>): Promise<T> => {
  const before = new Map<number, string>()
  for (const pid of placing.keys()) before.set(pid, await coresOf(pid))
  try {
    for (const [pid, cores] of placing) await taskset(pid, cores)
    return await act()
  } finally {
    for (const [pid, cores] of before) await taskset(pid, cores)
  }
}
