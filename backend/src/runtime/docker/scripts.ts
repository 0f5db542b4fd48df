/**
 * The small shell programs that run inside a container. Each is one constant argument of `sh -c`; all variable parts
 * are positional arguments. So an image needs nothing but a POSIX shell.
 */
import { readFileSync } from 'node:fs'

const read = (name: string): string => readFileSync(new URL(`scripts/${name}.sh`, import.meta.url), 'utf8')
const shared = read('lib')
const load = (name: string): string => `${shared}\n${read(name)}`
const announcing = (name: string): string => `${read('announce')}\n${read(name)}`
const sources = {
  launch: announcing('launch'),
  start: announcing('start'),
  hangup: load('hangup'),
  continue: load('continue'),
  signal: load('signal'),
  'end-process': load('end-process'),
  processes: load('processes'),
  figures: read('figures'),
  'root-file': read('root-file'),
}

/** The argv that runs a script; `args` become `$1`, `$2`, ... */
export const scriptArgv = (name: keyof typeof sources, ...args: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  sources[name],
  `slipway-${name}`,
  ...args,
]
