/** Starts a program as a login shell would, with the variables that ~/.profile sets. */
import { readFileSync } from 'node:fs'

/**
 * Longest time that ~/.profile may take, in seconds. Users wait at an empty terminal meanwhile; version managers take
 * less than one second. If the time is over or the login shell fails, the program starts without these variables, and
 * the terminal says so.
 */
export const LOGIN_SECONDS = 5

const SCRIPT = readFileSync(new URL('login.sh', import.meta.url), 'utf8')

/** An image without bash has no login shell, so its programs start directly. */
const START = '[ ! -x /bin/bash ] || exec /bin/bash -p -c "$0" slipway-login "$@"; shift; exec "$@"'

/**
 * The arguments that start a program with a login shell's environment. The program keeps the same process, and no shell
 * parses its arguments. As in a login shell, ~/.profile overrides the variables that the program is given.
 */
export const loginArgv = (argv: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  START,
  SCRIPT,
  String(LOGIN_SECONDS),
  ...argv,
]
