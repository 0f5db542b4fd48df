/**
 * Grades commands as approvals do, and parses the same commands alone. Prints the times of both for all of them, in
 * milliseconds, as one line of JSON. Arguments: the number of commands, and of rounds.
 */
import { parse } from 'unbash'
import { grade } from '../../src/modules/dialogs/grading/grade.ts'
import { BYPASSES, GRAVEST } from '../support/grading/gravest.ts'
import { MEDIUM } from '../support/grading/medium.ts'
import { ORDINARY } from '../support/grading/ordinary.ts'

const [count, rounds] = process.argv.slice(2).map(Number) as [number, number]

const rows = [...ORDINARY, ...MEDIUM, ...GRAVEST, ...BYPASSES].map(([, command]) => command)
/** None is the same as another one. */
const commands = Array.from({ length: count }, (_, number) => `${rows[number % rows.length] ?? 'ls'} # ${number}`)

const timeOf = (work: (command: string) => number): number => {
  const began = performance.now()
  const sum = commands.reduce((total, command) => total + work(command), 0)
  if (sum === 0) throw new Error('nothing was read')
  return performance.now() - began
}

const times: { grading: number[]; parsing: number[] } = { grading: [], parsing: [] }
// The first round does not count: it compiles both.
for (let round = -1; round < rounds; round += 1) {
  const parsing = timeOf((command) => parse(command).commands.length + 1)
  const grading = timeOf((command) => grade(command).tier + 1)
  if (round < 0) continue
  times.grading.push(grading)
  times.parsing.push(parsing)
}
process.stdout.write(`${JSON.stringify(times)}\n`)
