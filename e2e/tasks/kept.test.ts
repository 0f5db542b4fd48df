/** What is kept of a task: no secret, also if the CLI prints it in pieces, and a compressed transcript. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { CodingSession, CodingSessionOutput, RunEvent } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, signInAdmin } from '../support/api.ts'
import { removeNamespace, runIn } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
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

let namespace: string
let dataDir: string
let server: Server
let admin: Client

beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  server = await startServer({ namespace, dataDir })
  admin = await signInAdmin(server.baseUrl)
})
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

const said = (events: readonly RunEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

/** The text of a transcript, once it is compressed. */
const transcriptOf = async (id: string): Promise<string> => {
  const folder = join(dataDir, 'transcripts')
  const own = (): string[] => readdirSync(folder).filter((name) => name.startsWith(id))
  await until('the transcript to be compressed', () => own().join() === `${id}.1.ndjson.zst`)
  return own()
    .map((name) => zstdDecompressSync(readFileSync(join(folder, name))).toString())
    .join('')
}

/** Expects that nothing that is kept of a task has the end of the secret. */
const expectMasked = async ({ id, result }: CodingSession, secret: string): Promise<void> => {
  const before = await eventsOf(admin, id)
  const transcript = await transcriptOf(id)
  const events = await eventsOf(admin, id)
  const { output } = await admin.ok<CodingSessionOutput>('GET', `${SESSIONS}/${id}/output`)
  expect([result, said(events)]).toEqual(['It is ***, as you know.', 'It is ***, as you know.'])
  expect(events).toEqual(before)
  for (const kept of [JSON.stringify(events), output, transcript]) {
    expect(kept).toContain('It is ')
    expect(kept).not.toContain(secret.slice(-4))
  }
}

describe.each(['gemini-cli', 'copilot'] as const)('a task of %s', (runtime) => {
  it('keeps no secret that its CLI prints in pieces, also one that is set while it runs', async () => {
    const { name } = await agentWithModel(admin, SCRIPT, runtime)
    const set = (variable: string, value: string) =>
      admin.ok('PUT', `/agents/${name}/variables/${variable}`, { value, secret: true })
    await set('SOME_SECRET', SECRET)
    const first = await startTask(admin, { agent: name, prompt: '@pieces' })
    await expectMasked(await endedTask(admin, first.id), SECRET)

    const { id } = await startTask(admin, { agent: name, prompt: '@later' })
    const container = `${namespace}-agent-${name}`
    await until('the model to wait', async () =>
      (await runIn(container, ['cat', '/home/developer/model.log'])).includes(GATE),
    )
    await set('LATER_SECRET', LATER)
    await runIn(container, ['touch', GATE])
    await expectMasked(await endedTask(admin, id), LATER)
  })
})
