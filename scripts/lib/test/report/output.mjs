// Where a stage's output goes: straight through where nothing runs beside it, else to a file, and on as one block when the stage is over.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Output
 * @property {number} fd a program's own outputs
 * @property {(line: string) => void} say adds a line
 * @property {() => Promise<void>} end shows what has been kept
 */

const STANDARD_ERROR = 2

/** @returns {Output} */
export const straight = () => ({
  fd: STANDARD_ERROR,
  say: (line) => void writeSync(STANDARD_ERROR, `${line}\n`),
  end: async () => {},
})

/** @param {string} folder for the file @param {string} name the stage's @returns {Output} */
export const kept = (folder, name) => {
  const file = join(folder, `${name}.log`)
  const fd = openSync(file, 'a')
  return {
    fd,
    say: (line) => void writeSync(fd, `${line}\n`),
    end: async () => {
      closeSync(fd)
      // In one write: another stage may end meanwhile, and its block comes before or after this one.
      await new Promise((resolve) => process.stderr.write(readFileSync(file), resolve))
    },
  }
}
