/** Measures how fast the lines of a coding CLI become events, beside `JSON.parse` on the same lines. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rateRow } from '../harness/rates.ts'
import type { Findings } from '../harness/report.ts'
import { ROUNDS } from '../harness/statistics.ts'

/** Least rate, as a multiple of parsing alone. */
const TARGET = 0.6
/** A program of the backend's tests, because this package imports nothing of the backend. */
const PROGRAM = fileURLToPath(new URL('../../../backend/test/limits/events.ts', import.meta.url))

export const events = async (): Promise<Findings> => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(ROUNDS)])
  const rates = JSON.parse(stdout) as { readonly events: number[]; readonly parse: number[] }
  const parsing = { theirs: rates.parse, limit: 'JSON.parse alone', target: TARGET }
  return { rows: [rateRow('lines of Claude Code to events', rates.events, parsing)], raw: rates }
}
