/** Measures a task from the request to its stored end, beside the same CLI by an exec in the same container. */
import { readFileSync } from 'node:fs'
import type { CodingResult } from '@slipway/protocol'
import type { Api } from '../../harness/api.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { runInside } from '../../harness/engine.ts'
import { type Findings, milliseconds, type Row } from '../../harness/report.ts'
import { inTurns, median, pairedMedian } from '../../harness/statistics.ts'
import { addProvider, BINARY, installCli, type Order, taskBody } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const AGENT = 'bare'
/** The most that a task may take longer than its CLI, in milliseconds. */
const TARGET_MS = 150
/** Pairs of each CLI. Claude takes seconds. */
const PAIRS = { printing: 15, claude: 7 }
const ORDER: Order = { lines: 10 }

/** The scripted model of the end-to-end tests, which speaks the protocol of Anthropic. */
const MODEL = ['scripted-model.mjs', 'script.mjs'].map((name) =>
  readFileSync(new URL(`../../../../e2e/support/agent/${name}`, import.meta.url), 'base64'),
)
const MODEL_PORT = 9433
const MODEL_URL = `http://127.0.0.1:${MODEL_PORT}`
const MODEL_KEY = 'sk-ant-of-the-bench-0123456789'
const PROMPT = 'Say hello.'
/** As the platform starts it. */
const CLAUDE = 'claude -p --output-format stream-json --verbose --dangerously-skip-permissions'

interface Samples {
  readonly ours: number[]
  readonly theirs: number[]
}

const startModel = async (containerId: string): Promise<void> => {
  const script = `printf %s "$1" | base64 -d > /tmp/model.mjs; printf %s "$2" | base64 -d > /tmp/script.mjs; echo '[{"say":"Hello."}]' > /tmp/steps.json
    setsid node /tmp/model.mjs ${MODEL_PORT} /tmp/steps.json > /tmp/model.log 2>&1 &
    n=0; until curl -s -o /dev/null ${MODEL_URL}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`
  await runInside(containerId, ['sh', '-c', script, 'sh', ...MODEL])
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const pairs = async (
  count: number,
  ways: { readonly ours: () => Promise<number>; readonly theirs: () => Promise<number> },
) => {
  const samples: Samples = { ours: [], theirs: [] }
  for (let round = -1; round < count; round += 1)
    await inTurns(['ours', 'theirs'] as const, round + 1, async (way) => {
      const value = await ways[way]()
      // The first pair does not count. After it the files are in memory.
      if (round >= 0) samples[way].push(value)
    })
  return samples
}

const runTask = (api: Api, body: object): Promise<number> =>
  timed(async () => {
    const { success, reason } = await api.post<CodingResult>('/coding-agents/run', body)
    if (!success) throw new Error(`a task ended as ${reason}`)
  })

const rowOf = (name: string, { ours, theirs }: Samples): Row => {
  const added = pairedMedian(ours, theirs, (our, their) => our - their)
  return {
    figure: `a task of ${name}, from the request to its end`,
    median: milliseconds(median(ours), 0),
    limit: `${milliseconds(median(theirs), 0)} the CLI alone by an exec`,
    ratio: `+${milliseconds(added, 0)}`,
    target: `≤ +${TARGET_MS} ms`,
    met: added <= TARGET_MS,
  }
}

export const bareTask = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'b')
  const api = await world.signIn()
  await world.settled(api)
  const containerId = await world.addAgent(api, AGENT)
  await installCli(containerId)
  await addProvider(api)
  await startModel(containerId)
  for (const [name, value] of Object.entries({ ANTHROPIC_BASE_URL: MODEL_URL, ANTHROPIC_API_KEY: MODEL_KEY }))
    await api.put(`/agents/${AGENT}/variables/${name}`, { value, secret: name.endsWith('KEY') })

  const inContainer = (script: string): Promise<number> =>
    timed(() => runInside(containerId, ['bash', '-c', `cd && ${script}`]))
  const printing = await pairs(PAIRS.printing, {
    ours: () => runTask(api, taskBody(AGENT, ORDER)),
    theirs: () => inContainer(`printf %s '${JSON.stringify(ORDER)}' | ${BINARY}`),
  })
  const environment = `ANTHROPIC_BASE_URL=${MODEL_URL} ANTHROPIC_API_KEY=${MODEL_KEY}`
  const claude = await pairs(PAIRS.claude, {
    ours: () => runTask(api, { agent: AGENT, prompt: PROMPT }),
    theirs: () => inContainer(`printf %s '${PROMPT}' | ${environment} ${CLAUDE}`),
  })
  return {
    rows: [rowOf('a CLI without a model', printing), rowOf('Claude Code with a scripted model', claude)],
    raw: { unit: 'ms', printing, claude },
  }
}
