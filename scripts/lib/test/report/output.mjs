// The output of a stage. If nothing runs beside the stage, its output is printed at once. Otherwise it goes to a file,
// and is printed as one block at the stage's end.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** How much of a stage's output is its last part, in characters: an error with its causes, below a table of results. */
const LAST_CHARACTERS = 3_000

/**
 * @typedef {object} Output
 * @property {number} fd for a program's own outputs
 * @property {(line: string) => void} say adds a line
 * @property {() => string} last the last part of the file; empty if there is none
 * @property {() => Promise<void>} end prints what the file has
 */

const STANDARD_ERROR = 2

/** @returns {Output} */
export const straight = () => ({
  fd: STANDARD_ERROR,
  say: (line) => void writeSync(STANDARD_ERROR, `${line}\n`),
  last: () => '',
  end: async () => {},
})

/** @param {string} folder for the file @param {string} name the stage's @returns {Output} */
export const kept = (folder, name) => {
  const file = join(folder, `${name}.log`)
  const fd = openSync(file, 'a')
  return {
    fd,
    say: (line) => void writeSync(fd, `${line}\n`),
    last: () => readFileSync(file, 'utf8').slice(-LAST_CHARACTERS),
    end: async () => {
      closeSync(fd)
      // One write keeps the block together when another stage ends at the same time.
      await new Promise((resolve) => process.stderr.write(readFileSync(file), resolve))
    },
  }
}
