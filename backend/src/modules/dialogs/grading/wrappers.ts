/** Programs that run another program, which their arguments name. */
import type { Reason } from './reasons.ts'
import { isLoader } from './variables.ts'
import type { Known } from './words.ts'

/** What a wrapper runs. */
export interface Inner {
  /** The name and the arguments; empty if it runs nothing. */
  readonly argv: readonly Known[]
  /** What the wrapper itself does. */
  readonly reason?: Reason
}

interface Wrapper {
  /** Options that are followed by a value of their own. */
  readonly valued?: string
  readonly long?: readonly string[]
  /** How many words stand before the program, such as the time of `timeout`. */
  readonly before?: number
  /** Whether words of the form `NAME=value` stand before the program. */
  readonly assigns?: boolean
  /** Whether further arguments come from its input. */
  readonly appends?: boolean
  readonly reason?: Reason
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { valued: 'uCS', long: ['--unset', '--chdir'], assigns: true },
  sudo: { valued: 'ughpCTrtDRU', long: ['--user', '--group', '--chdir'], assigns: true, reason: 'otherUser' },
  doas: { valued: 'uCa', reason: 'otherUser' },
  timeout: { valued: 'ks', long: ['--signal', '--kill-after'], before: 1 },
  nice: { valued: 'n', long: ['--adjustment'] },
  ionice: { valued: 'cnp' },
  nohup: {},
  setsid: {},
  stdbuf: { valued: 'ioe' },
  unbuffer: {},
  time: { valued: 'fo' },
  command: {},
  builtin: {},
  exec: { valued: 'a' },
  coproc: {},
  busybox: {},
  chroot: { before: 1, reason: 'system' },
  unshare: { reason: 'system' },
  nsenter: { valued: 't', reason: 'system' },
  flock: { valued: 'wE', before: 1 },
  strace: { valued: 'eop' },
  watch: { valued: 'n' },
  xargs: { valued: 'IdEnPLsa', long: ['--arg-file', '--delimiter'], appends: true },
  parallel: { valued: 'jNI', long: ['--jobs'], appends: true },
  caffeinate: {},
  'systemd-run': { valued: 'pu', reason: 'system' },
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/

/** Whether the program runs one that its arguments name, whatever they are. */
export const isWrapper = (name: string): boolean => Object.hasOwn(WRAPPERS, name) || name === 'find' || name === 'fd'

/** Null if the program is no wrapper. */
export const innerOf = (name: string, args: readonly Known[]): Inner | null => {
  if (name === 'find' || name === 'fd') return innerOfFind(args)
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
  if (!wrapper) return null
  const { valued = '', long = [], before = 0, assigns, appends, reason } = wrapper
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? null
    if (arg === '--') {
      at += 1
      break
    }
    if (arg === null) break
    if (assigns && ASSIGNMENT.test(arg)) continue
    if (!arg.startsWith('-') || arg === '-') break
    // The value of an option may be a word of its own.
    if (long.includes(arg) || (/^-[A-Za-z]$/.test(arg) && valued.includes(arg.charAt(1)))) at += 1
  }
  while (assigns && ASSIGNMENT.test(args[at] ?? '')) at += 1
  const argv = args.slice(at + before)
  const loads = assigns && args.slice(0, at).some((arg) => ASSIGNMENT.test(arg ?? '') && isLoader(nameOf(arg)))
  return {
    // `xargs` alone runs `echo`.
    argv: appends && argv.length > 0 ? [...argv, null] : argv,
    ...(loads ? { reason: 'loader' as const } : reason && { reason }),
  }
}

const nameOf = (assignment: Known): string => assignment?.slice(0, assignment.indexOf('=')) ?? ''

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec', '--exec-batch'])

/** What `find` runs for each file. */
const innerOfFind = (args: readonly Known[]): Inner | null => {
  if (args.some((arg) => arg === '-delete')) return { argv: [], reason: 'deletesComputed' }
  const from = args.findIndex((arg) => arg !== null && RUNS.has(arg))
  if (from === -1)
    return args.some((arg) => arg !== null && /^-f(?:printf|print0?|ls)$/.test(arg))
      ? { argv: [], reason: 'changes' }
      : null
  const rest = args.slice(from + 1)
  const end = rest.findIndex((arg) => arg === ';' || arg === '+')
  const argv = (end === -1 ? rest : rest.slice(0, end)).map((arg) => (arg?.includes('{}') ? null : arg))
  // A second program of the same `find` is graded, too.
  const further = end === -1 ? null : innerOfFind(rest.slice(end + 1))
  if (further && further.argv.length > 0) return { argv: [...argv, null], reason: 'unknown' }
  return { argv }
}
