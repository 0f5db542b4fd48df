/** A machine outside of the platform, on which a coding CLI runs with a scripted model server. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { docker } from '../engine.ts'
import type { Script } from './model.ts'

const run = promisify(execFile)
const HOME = '/home/developer'

export interface Outside {
  /** The address of the model server. */
  readonly model: string
  /** Runs a program there with these variables, to its end. Answers its output. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  /** Writes a file below the home. */
  write(path: string, content: string): Promise<void>
  remove(): Promise<void>
}

/** Starts it, with the model server `NAME-model.mjs`. It reaches what this machine reaches. */
export const startOutside = async (
  namespace: string,
  { server, script }: { readonly server: string; readonly script: Script },
): Promise<Outside> => {
  const container = await docker.createContainer({
    name: `${namespace}-outside-${randomBytes(3).toString('hex')}`,
    Image: process.env.SLIPWAY_TEST_IMAGE!,
    Cmd: ['sleep', 'infinity'],
    WorkingDir: HOME,
    // The server listens on the loopback address only.
    HostConfig: { NetworkMode: 'host', Init: true },
  })
  await container.start()
  const inside = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}, input = '') => {
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const executed = run('docker', ['exec', '-i', ...variables, container.id, ...argv])
    executed.child.stdin?.end(input)
    return (await executed).stdout
  }
  const write = async (path: string, content: string): Promise<void> => {
    await inside(['sh', '-c', 'mkdir -p "$(dirname "$0")" && cat >"$0"', `${HOME}/${path}`], {}, content)
  }
  const remove = () => container.remove({ force: true }).then(() => undefined)
  try {
    // With the dot, the files of the folder are copied, and not the folder.
    await run('docker', ['cp', `${join(import.meta.dirname, '../agent')}/.`, `${container.id}:${HOME}`])
    await write('steps.json', JSON.stringify(script))
    const up = `setsid node ${server} 0 steps.json >model.log 2>&1 & n=0
      until grep -m 1 '^http:' model.log; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`
    const model = (await inside(['sh', '-c', up])).trim()
    return { model, run: (argv, env) => inside(argv, env), write, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
