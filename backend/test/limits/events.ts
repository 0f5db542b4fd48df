/**
 * Reads recorded lines of Claude Code as a run does, and parses the same lines alone. Prints the rates of both, in bytes
 * a second, as one line of JSON. Argument: the number of rounds.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { headlessOf } from '../../src/modules/providers/catalogue.ts'
import { Masking } from '../../src/modules/runs/output/masking.ts'
import { RunReader } from '../../src/modules/runs/output/reader.ts'

/** How much is read in one round, in bytes. */
const BYTES = 33_554_432
/** Size of a chunk, as the engine's socket delivers it, in bytes. */
const CHUNK_BYTES = 65_536
const FIXTURES = join(import.meta.dirname, '../fixtures/transcripts/claude')
/** More than most agents have, each as long as a key. */
const SECRETS = Array.from({ length: 20 }, (_, n) => `sk-ant-${n}-${'0aB9zY'.repeat(6)}${n}`)
const OPTIONS = { sessionId: '0190a6e0-0000-7000-8000-000000000000', resume: null, folder: '/home/developer' }

const headless = headlessOf('claude-code')
if (!headless) throw new Error('Claude Code has no driver')
const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl'))
const once = Buffer.concat(names.map((name) => readFileSync(join(FIXTURES, name))))
const bytes = Buffer.concat(Array.from({ length: Math.ceil(BYTES / once.length) }, () => once))

/** The number of events. */
const read = (): number => {
  const reader = RunReader.new({ newReading: () => headless.read(OPTIONS), masking: new Masking(SECRETS) })
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    reader.read(bytes.subarray(at, at + CHUNK_BYTES), 'stdout', at, 0)
  return reader.seq
}
/** The number of lines. */
const parse = (): number => {
  let parsed = 0
  for (const line of bytes.toString('utf8').split('\n')) {
    if (!line.startsWith('{')) continue
    JSON.parse(line)
    parsed += 1
  }
  return parsed
}
const rateOf = (work: () => number): number => {
  const began = performance.now()
  if (work() === 0) throw new Error('nothing was read')
  return (bytes.length * 1000) / (performance.now() - began)
}

const rates: { events: number[]; parse: number[] } = { events: [], parse: [] }
// The first round does not count: it compiles both.
for (let round = -1; round < Number(process.argv[2] ?? 5); round += 1) {
  const [events, alone] = [rateOf(read), rateOf(parse)]
  if (round < 0) continue
  rates.events.push(events)
  rates.parse.push(alone)
}
process.stdout.write(`${JSON.stringify(rates)}\n`)
