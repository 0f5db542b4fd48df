/** What is kept of a task: no secret, also if the CLI prints it in pieces, and a compressed transcript. */
// In the short form `claude.test.ts` shows the known secrets of an agent nowhere, `backend/src/modules/runs/output/deltas.test.ts` those
// that come in pieces, and `backend/src/modules/runs/transcript/keeper.test.ts` what is compressed.
import '@slipway/testing/long'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { CodingSession, CodingSessionOutput, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inTurn } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { runIn } from '../support/engine.ts'
import { useOwnServer } from '../support/own-server.ts'
import { endedTask, eventsOf, startTask } from '../support/tasks/follow.ts'
import { agentWithModel, type Script } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
const GATE = '/tmp/may-say-it'
const SECRET = 'a-secret-of-the-agent-4711'
const LATER = 'another-secret-of-the-agent-4712'
const pieces = (secret: string): string[] => ['It is ', ...(secret.match(/.{1,7}/g) ?? []), ', as you know.']

const SCRIPT: Script = {
  '@pieces': [{ say: pieces(SECRET) }],
  '@later': [{ say: pieces(LATER), gate: GATE }],
}

const own = useOwnServer()

const said = (events: readonly RunEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

/** The text of a transcript, once it is compressed. */
const transcriptOf = async (id: string): Promise<string> => {
  const folder = join(own.dataDir, 'transcripts')
  const segments = (): string[] => readdirSync(folder).filter((name) => name.startsWith(id))
  await until('the transcript to be compressed', () => segments().join() === `${id}.1.ndjson.zst`)
  return segments()
    .map((name) => zstdDecompressSync(readFileSync(join(folder, name))).toString())
    .join('')
}

/** Expects that nothing that is kept of a task has the end of the secret. */
const expectMasked = async ({ id, result }: CodingSession, secret: string): Promise<void> => {
  const before = await eventsOf(own.admin, id)
  const transcript = await transcriptOf(id)
  const events = await eventsOf(own.admin, id)
  const { output } = await own.admin.ok<CodingSessionOutput>('GET', `${SESSIONS}/${id}/output`)
  expect([result, said(events)]).toEqual(['It is ***, as you know.', 'It is ***, as you know.'])
  expect(events).toEqual(before)
  for (const kept of [JSON.stringify(events), output, transcript]) {
    expect(kept).toContain('It is ')
    expect(kept).not.toContain(secret.slice(-4))
  }
}

// In turn: what both print in pieces goes the same way to where it is kept.
describe.each(inTurn(['copilot', 'gemini-cli'] as const, 0))('a task of %s', (runtime) => {
  it('keeps no secret that its CLI prints in pieces, also one that is set while it runs', async () => {
    const { name } = await agentWithModel(own.admin, SCRIPT, runtime)
    const set = (variable: string, value: string) =>
      own.admin.ok('PUT', `/agents/${name}/variables/${variable}`, { value, secret: true })
    await set('SOME_SECRET', SECRET)
    const first = await startTask(own.admin, { agent: name, prompt: '@pieces' })
    await expectMasked(await endedTask(own.admin, first.id), SECRET)

    const { id } = await startTask(own.admin, { agent: name, prompt: '@later' })
    const container = `${own.namespace}-agent-${name}`
    await until('the model to wait', async () =>
      (await runIn(container, ['cat', '/home/developer/model.log'])).includes(GATE),
    )
    await set('LATER_SECRET', LATER)
    await runIn(container, ['touch', GATE])
    await expectMasked(await endedTask(own.admin, id), LATER)
  })
})
