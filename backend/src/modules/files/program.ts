/** The scripts that run inside the container: their arguments and exit codes. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ProgramStream } from '../../runtime/port.ts'
import { outsideHome } from './path.ts'

const load = (name: string): string => readFileSync(new URL(`scripts/${name}.sh`, import.meta.url), 'utf8')
const NAMES = ['read', 'write', 'find', 'list', 'tree', 'versions', 'change', 'names', 'search'] as const
type Name = (typeof NAMES)[number]
const SCRIPTS = Object.fromEntries(NAMES.map((name) => [name, load(name)])) as Record<Name, string>

/** Longest first line, in bytes: "file ", a number, a version, and the kernel's longest path (PATH_MAX) in hexadecimal. */
const LINE_BYTES = 256 + 2 * 4096
/** Longest time until a script's first line, in milliseconds. A busy engine takes seconds to start the script. */
const LINE_MS = 20_000

/** The argument list. Values from outside are positional arguments, never part of the script. */
export const scriptArgv = (name: Name, ...args: readonly string[]): string[] => [
  ...['/bin/sh', '-c', SCRIPTS[name], `slipway-${name}`],
  ...[AGENT_HOME, ...args],
]

const FAILURES: Readonly<Record<number, () => AppError>> = {
  10: () => new AppError('FILE_NOT_FOUND', 'There is no such file or folder.'),
  11: outsideHome,
  12: () => new AppError('FILE_REFUSED', 'This is neither a file nor a folder.'),
  13: () => new AppError('FILE_REFUSED', "The agent's user has no permission for this file or folder."),
  14: () => new AppError('FILE_REFUSED', 'A folder with this name exists already.'),
  17: () => new AppError('FILE_REFUSED', 'A part of this path is a file, not a folder.'),
  15: () => new AppError('DISK_FULL', 'The disk has no room for this file or folder.'),
  16: () => new AppError('VALIDATION', 'The file ended before its announced length.'),
  18: () => new AppError('FILE_EXISTS', 'A file or folder with this name exists already.'),
  19: () => new AppError('FILE_CHANGED', 'The file has changed, or is gone, since it was read. Read it again.'),
  20: () => new AppError('VALIDATION', 'pattern: is no valid regular expression.'),
  21: () => new AppError('NOT_OFFERED', "The agent's image has no ripgrep, which searches in files."),
}

/** What an exit code other than 0 means. */
export const failureOf = (exitCode: number): AppError =>
  FAILURES[exitCode]?.() ??
  new AppError('FILE_REFUSED', "The agent's container could not do this. Its image may lack head, stat or tar.")

/** A script printed what it never does, since a program of the container took its place. */
export const somethingElse = (): RuntimeError => new RuntimeError('engine_error', 'the script announced something else')

/**
 * Reads a script's first line, and leaves the rest in the stream. Throws the script's failure if it ends without a
 * line.
 */
export const firstLine = async (program: ProgramStream): Promise<string> => {
  const line = await readLine(program)
  if (line !== null) return line
  const { exitCode } = await program.exit
  throw failureOf(exitCode)
}

/** Null if the output ended without a line. */
const readLine = ({ output, close }: ProgramStream): Promise<string | null> =>
  new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)
    const settle = (): void => {
      clearTimeout(timer)
      output.off('readable', read).off('end', end).off('error', fail)
    }
    const fail = (error: Error): void => {
      settle()
      close()
      reject(error)
    }
    const end = (): void => {
      settle()
      resolve(null)
    }
    const read = (): void => {
      for (let chunk = next(output); chunk; chunk = next(output)) {
        seen = Buffer.concat([seen, chunk])
        const at = seen.indexOf(0x0a)
        if (at < 0 && seen.length <= LINE_BYTES) continue
        if (at < 0) return fail(new RuntimeError('engine_error', 'the script announced nothing'))
        settle()
        if (at + 1 < seen.length) output.unshift(seen.subarray(at + 1))
        return resolve(seen.subarray(0, at).toString('latin1'))
      }
    }
    const timer = setTimeout(() => fail(new RuntimeError('timed_out', 'the script did not begin in time')), LINE_MS)
    output.on('readable', read).once('end', end).once('error', fail)
  })

const next = (output: ProgramStream['output']): Buffer | null => output.read() as Buffer | null
