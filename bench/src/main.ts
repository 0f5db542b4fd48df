/**
 * `npm run bench`: measures every figure beside its limit in one run, prints a table and stores the raw numbers.
 * Arguments choose figures by name. A missed target is printed, and is not a failure, because this is a measurement and
 * not a test.
 */
import { inspect } from 'node:util'
import { arrival } from './figures/arrival.ts'
import { audit } from './figures/audit.ts'
import { busy } from './figures/busy.ts'
import { changes } from './figures/changes.ts'
import { create } from './figures/create.ts'
import { echo } from './figures/echo.ts'
import { events } from './figures/events.ts'
import { fair } from './figures/fair.ts'
import { flood } from './figures/flood.ts'
import { folder } from './figures/folder.ts'
import { growth } from './figures/growth.ts'
import { held } from './figures/held.ts'
import { listing } from './figures/listing.ts'
import { memory } from './figures/memory.ts'
import { ports } from './figures/ports.ts'
import { prompt } from './figures/prompt.ts'
import { repaint } from './figures/repaint.ts'
import { requests } from './figures/requests.ts'
import { bareTask } from './figures/tasks/bare.ts'
import { taskPage } from './figures/tasks/page.ts'
import { people } from './figures/tasks/people.ts'
import { recovery } from './figures/tasks/recovery.ts'
import { results } from './figures/tasks/results.ts'
import { tasks } from './figures/tasks/tasks.ts'
import { conversationPage } from './figures/tasks/conversation-page.ts'
import { conversations } from './figures/tasks/conversations.ts'
import { worktree } from './figures/tasks/worktree.ts'
import { throughput } from './figures/throughput.ts'
import { Cleanup } from './harness/cleanup.ts'
import { describeMachine, keepRaw } from './harness/raw.ts'
import { type Findings, printTable } from './harness/report.ts'
import { setStage, type Stage } from './stage.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const cleanup = new Cleanup()
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    interruption.abort()
    say('\nStopping; cleaning up.')
    void cleanup.run().then(() => process.exit(130))
  })

process.once('uncaughtException', (error) => {
  process.stderr.write(`bench: ${inspect(error)}\n`)
  void cleanup.run().then(() => process.exit(1))
})

let stage: Promise<Stage> | null = null
const withStage = (figure: (stage: Stage) => Promise<Findings>) => async () =>
  figure(await (stage ??= setStage(cleanup)))

const figures: Record<string, () => Promise<Findings>> = {
  throughput: withStage(throughput),
  held: withStage((own) => held(own, cleanup)),
  echo: withStage((own) => echo(own, cleanup)),
  repaint: withStage(repaint),
  prompt: withStage(prompt),
  create: withStage(create),
  busy: withStage((own) => busy(own, cleanup)),
  flood: withStage((own) => flood(own, cleanup)),
  arrival: withStage((own) => arrival(own, cleanup)),
  fair: () => fair(cleanup),
  memory: () => memory(cleanup),
  listing: () => listing(cleanup),
  requests: () => requests(cleanup),
  growth: () => growth(cleanup),
  folder: () => folder(cleanup),
  audit: () => audit(cleanup),
  events: () => events(),
  tasks: () => tasks(cleanup),
  bareTask: () => bareTask(cleanup),
  taskPage: () => taskPage(cleanup),
  people: () => people(cleanup),
  results: () => results(cleanup),
  recovery: () => recovery(cleanup),
  worktree: () => worktree(cleanup),
  conversations: () => conversations(cleanup),
  conversationPage: () => conversationPage(cleanup),
  changes: () => changes(cleanup),
  ports: () => ports(cleanup),
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(figures, name))
if (unknown.length > 0) {
  say(`No such figure: ${unknown.join(', ')}. There are: ${Object.keys(figures).join(', ')}.`)
  process.exit(2)
}

try {
  const machine = await describeMachine()
  const found: Record<string, Findings> = {}
  for (const [name, measure] of Object.entries(figures)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    const started = performance.now()
    found[name] = await measure()
    say(`measured ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`)
  }
  const rows = Object.values(found).flatMap((findings) => findings.rows)
  const raw = Object.fromEntries(Object.entries(found).map(([name, findings]) => [name, findings.raw]))
  const file = await keepRaw({ machine, rows, raw })
  const missed = rows.filter((row) => row.met === false)
  say(`\n${printTable(rows)}\n`)
  say(missed.length === 0 ? 'Every target was met.' : `MISS: ${missed.map((row) => row.figure).join('; ')}`)
  say(`Raw numbers: ${file}`)
} catch (error) {
  // After an interruption, failures are expected.
  if (!interruption.signal.aborted) process.stderr.write(`bench: ${inspect(error)}\n`)
  process.exitCode = 1
} finally {
  await cleanup.run()
}
