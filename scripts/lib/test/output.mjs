// Where a stage's output goes: straight through where nothing runs beside it, else to a file, and on as one block when the stage is over.
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'

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
      const block = createReadStream(file)
      block.pipe(process.stderr, { end: false })
      await finished(block)
    },
  }
}
