/** The server as a process that cannot start, on a file system and with rights of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
/** A start that succeeds, against what the test expects, ends after this, in seconds. */
const WITHIN_S = 60
/** Root may write and listen everywhere by these. */
const WITHOUT_RIGHTS = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-net_bind_service']
/** Nothing of it is left when its processes have ended, not even a mount; and everyone may have one. */
const OWN_FILE_SYSTEMS = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]

/** What a start left. */
export interface RefusedStart {
  readonly code: number | null
  /** What it told the operator. */
  readonly said: string
  /** The data folder's files then. */
  readonly files: readonly string[]
}

export interface StartOptions {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  /** Shell commands that prepare the data folder, which is `$1`. */
  readonly prepare?: string
  /** With a network of its own, where nobody but root may listen on ports below 1024. */
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
