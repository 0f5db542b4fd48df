/** Starts a program as a login shell would: with what ~/.profile sets. */
import { readFileSync } from 'node:fs'

/**
 * Longest that ~/.profile may take, in seconds. Users wait at an empty terminal meanwhile; version managers take less than one. After
 * that, and where the login shell fails, the program starts without what ~/.profile sets, and the terminal says so.
 */
export const LOGIN_SECONDS = 5

const SCRIPT = readFileSync(new URL('scripts/login.sh', import.meta.url), 'utf8')

/** An image without bash has no login shell: there the program starts as it is. */
const START = '[ ! -x /bin/bash ] || exec /bin/bash -p -c "$0" slipway-login "$@"; shift; exec "$@"'

/**
 * The arguments that start a program with the environment of a login shell. The program is the same process, and its arguments are
 * no text of a shell's. What ~/.profile sets counts more than what the program is given, as it does in a login shell.
 */
export const loginArgv = (argv: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  START,
  SCRIPT,
  String(LOGIN_SECONDS),
  ...argv,
]
