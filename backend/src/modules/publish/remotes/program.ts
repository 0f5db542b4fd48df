/** The script that fetches inside the container: its arguments, limits and exit codes. */
import type { ExecBody } from '@slipway/protocol'
import { type RepositoryPlace, startOf } from '../../git/program.ts'
import { workTreeScript } from '../../git/work-tree.ts'

/** Longest time for a fetch, in seconds. */
const FETCH_SECONDS = 120
/** When the script is killed that does not end by itself, in seconds after its time. */
const KILL_SECONDS = 1

const SCRIPT = workTreeScript(['repository', 'paths'], new URL('../scripts/fetch.sh', import.meta.url))

/** Fetches from the remote of the branch. Needs the user's credentials in its environment. */
export const fetching = (place: RepositoryPlace): ExecBody => ({
  argv: [
    ...['timeout', '-k', `${KILL_SECONDS}`, `${FETCH_SECONDS}`, '/bin/sh', '-c', SCRIPT, 'slipway-fetch'],
    ...startOf('fetch', place),
  ],
  stdin: '',
  env: {},
  timeoutSeconds: FETCH_SECONDS + 5,
})
