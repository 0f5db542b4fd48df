/** A server process that cannot start. It has its own file system and its own rights. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
/** If the start succeeds against the test's expectation, the process is ended after this many seconds. */
const WITHIN_S = 60
/** With these capabilities root may write any file and listen on any port. */
const WITHOUT_RIGHTS = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-net_bind_service']
/** A mount namespace disappears with its last process, and its mounts with it. Every user may make one. */
const OWN_FILE_SYSTEMS = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]

/** The result of a start. */
export interface RefusedStart {
  readonly code: number | null
  /** The output for the operator. */
  readonly said: string
  /** The files in the data folder afterwards. */
  readonly files: readonly string[]
}

export interface StartOptions {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  /** Shell commands that prepare the data folder, which is `$1`. */
  readonly prepare?: string
  /** Runs the server in its own network, in which only root may listen on ports below 1024. */
  readonly ownNetwork?: boolean
}

/** Starts the server and waits for its end. */
export async function refusedStart({
  dataDir,
  env = {},
  prepare = ':',
  ownNetwork,
}: StartOptions): Promise<RefusedStart> {
  const script = `set -e; ${prepare}
    set +e; timeout ${WITHIN_S} ${WITHOUT_RIGHTS.join(' ')} "$2" "$3" > /dev/null; code=$?
    ls -A "$1" 2>/dev/null; exit $code`
  const [program = '', ...options] = OWN_FILE_SYSTEMS
  const argv = [...options, ...(ownNetwork ? ['--net'] : []), 'sh', '-c', script, 'sh', dataDir, process.execPath, MAIN]
  const child = spawn(program, argv, {
    env: {
      ...process.env,
      SLIPWAY_PORT: '0',
      SLIPWAY_LOG_LEVEL: 'silent',
      SLIPWAY_DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const [files, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, said, files: files.split('\n').filter((name) => name !== '') }
}
