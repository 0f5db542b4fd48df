/** What runs in the container for each request of a client. Pure functions over what a hostile client may send. */
import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { VARIABLE_BYTES } from '../limits.ts'

/** A program to start. */
export interface Command {
  readonly argv: readonly string[]
  /** Its name for the audit log. Never its arguments, which may be secrets. */
  readonly name: string
}

/** A login shell. Without a terminal it reads its commands from its input. */
export const SHELL: Command = { argv: ['/bin/bash', '--login'], name: 'bash' }

/** An image without bash has no login shell. The command is one argument: only the person's own shell parses it. */
const RUN = '[ ! -x /bin/bash ] || exec /bin/bash --login -c "$0"; exec /bin/sh -c "$0"'

/** Where distributions put it. Debian's comes first. */
const SFTP_SERVERS = [
  '/usr/lib/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/libexec/sftp-server',
]
const NO_SFTP = "The agent's image has no sftp-server. Add the package openssh-sftp-server to the image."

/** The container's own server of files, which speaks the protocol of sftp over its pipes. */
export const SFTP: Command = {
  argv: [
    '/bin/sh',
    '-c',
    'said=$0; for program in "$@"; do [ ! -x "$program" ] || exec "$program"; done; echo "$said" >&2; exit 127',
    NO_SFTP,
    ...SFTP_SERVERS,
  ],
  name: 'sftp-server',
}

/** A command line of the person, as their shell would run it. Null if no program can get it: it has a NUL. */
export const commandOf = (line: string): Command | null =>
  line.includes('\0') ? null : { argv: ['/bin/sh', '-c', RUN, line], name: nameOf(line) }

/** The first word of a command line where it is plainly a name. All else is a shell's, and may be a secret. */
const nameOf = (line: string): string => {
  const word = /^\s*(\S{1,200})/.exec(line)?.[1] ?? ''
  const name = word.split('/').at(-1) ?? ''
  return /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/.test(name) ? name : 'bash'
}

/** The terminal that a client asked for. */
export interface Pty {
  readonly cols: number
  readonly rows: number
  readonly term: string
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** A size that a terminal can have. A client without a window says 0 by 0. */
export const sizeOf = ({ cols, rows }: Pick<Pty, 'cols' | 'rows'>): Pick<Pty, 'cols' | 'rows'> => ({
  cols: cols === 0 ? 80 : within(cols, 2, COLS_MAX),
  rows: rows === 0 ? 24 : within(rows, 1, ROWS_MAX),
})

/** The name of the client's terminal, where it is one. */
export const termOf = (term: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$/.test(term) ? term : 'xterm-256color'

/** Whether a client may set this variable: the language and the terminal, never what decides which programs run. */
export const mayBeSet = (name: string, value: string): boolean =>
  /^(LANG|LC_[A-Z]{1,30}|TERM)$/.test(name) &&
  Buffer.byteLength(value) <= VARIABLE_BYTES &&
  /^[A-Za-z0-9@._:+,/=-]*$/.test(value)

/** Names of the agent itself. Nothing else is reached through it. */
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1', '[::1]']

/** Whether an address is the agent's own loopback. */
export const isOwn = (host: string): boolean => OWN_NAMES.includes(host.toLowerCase())
