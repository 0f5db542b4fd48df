/** What it means that arguments of a program name paths. */
import { reasonOfPath } from './paths.ts'
import { type Reason, tierOf } from './reasons.ts'
import { type Known, operands } from './words.ts'

/** Their arguments are paths that they write. */
const WRITE = new Set('cp mv ln tee touch mkdir install patch chmod chown truncate split unzip'.split(' '))

/** An option, too, may name what is written: `curl -o FILE`. */
export const reasonsOfMentioned = (program: string, args: readonly Known[]): Reason[] => {
  // The script of `sed` looks like a path.
  const script = program === 'sed' ? operands(args)[0] : undefined
  return args.flatMap((arg) => {
    if (arg === null || arg === script) return []
    const reason = reasonOfPath(arg.replace(/^-[A-Za-z](?=[/~.])|^--?[\w-]+=/, ''))
    return reason !== null && tierOf(reason) > 1 ? [reason] : []
  })
}

/** What a program writes that has nothing but paths to write as arguments. */
export const reasonsOfWritten = (program: string, args: readonly Known[]): Reason[] => {
  if (!WRITE.has(program)) return []
  return operands(args).flatMap((path) => {
    const reason = reasonOfPath(path)
    return [
      ...(program === 'mv' && path === '/dev/null' ? (['deletesAll'] as const) : []),
      ...(reason === null ? [] : [reason]),
    ]
  })
}
