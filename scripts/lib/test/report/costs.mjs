// The costs of a run, for the end of `npm test`: the time of each suite, and the slowest files.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { inRoot } from '../../paths.mjs'
import { elapsed } from '../../steps.mjs'

/** How many files are listed. */
const TOLD_FILES = 10

/**
 * @typedef {object} Cost
 * @property {string} title the suite's
 * @property {number} wallMs
 * @property {number} cpuMs of the programs that it started, without containers; 0 if the kernel does not report it
 */

/**
 * How long each file of a Vitest report took.
 *
 * @param {string} file the report of Vitest's JSON reporter
 * @returns {{path: string, wallMs: number}[]} empty if there is no report
 */
export const fileCosts = (file) => {
  try {
    const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
    return testResults.map(({ name, startTime, endTime }) => ({
      path: relative(inRoot(), name),
      wallMs: endTime - startTime,
    }))
  } catch {
    // The tally reports a missing file.
    return []
  }
}

/** Aligns the rows in columns. All cells but the last are as wide as the widest of their column. */
const aligned = (rows) => {
  const width = (column) => Math.max(...rows.map((row) => row[column].length))
  return rows.map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padStart(width(at)))).join('  '))
}

/**
 * @param {Cost[]} suites
 * @param {{path: string, wallMs: number}[]} files
 * @returns {string} a table, the most expensive first
 */
export const tellCosts = (suites, files) => {
  const dearest = suites.toSorted((one, other) => other.wallMs - one.wallMs)
  const cpu = (ms) => (ms === 0 ? '' : elapsed(ms))
  const ofSuites = [
    ['wall', 'CPU', 'suite (CPU without containers)'],
    ...dearest.map(({ title, wallMs, cpuMs }) => [elapsed(wallMs), cpu(cpuMs), title]),
  ]
  const longest = files.toSorted((one, other) => other.wallMs - one.wallMs).slice(0, TOLD_FILES)
  const ofFiles = [['wall', 'longest files'], ...longest.map(({ path, wallMs }) => [elapsed(wallMs), path])]
  return `\n${[...aligned(ofSuites), '', ...aligned(ofFiles)].join('\n')}\n\n`
}
