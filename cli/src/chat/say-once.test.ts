import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { Client } from '../api/client.ts'
import type { Context } from '../arguments/context.ts'
import { Output } from '../output/output.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { sayOnce } from './say-once.ts'

const DONE = { id: 'run', provider: 'claude-code', prompt: 'x', completedAt: '2026-01-01T00:00:00Z', lastSeq: 1 }
const messageOf = (state: string, error: string | null = null) => ({ id: 'own', text: 'x', state, error, answer: null })
const EARLIER = {
  message: { ...messageOf('sent'), id: 'earlier' },
  run: { ...DONE, state: 'completed', result: 'Old.' },
}

interface Served {
  readonly message: object
  /** The turns after the message was sent. */
  readonly turns: readonly object[]
  readonly run?: object
}

/** The command's end and its outputs, with a server that answers so. Nothing waits there. */
const say = async ({ message, turns, run }: Served) => {
  const answers: Readonly<Record<string, unknown>> = {
    'POST /conversations/c/messages': message,
    'GET /conversations/c/messages': { items: [EARLIER, ...turns] },
    'GET /conversations/c/queue': [],
    'GET /conversations/c': { state: 'active', activity: 'idle', queued: 0 },
    'GET /coding-agents/sessions/run': run,
  }
  const json = (method: string, path: string): Promise<unknown> => Promise.resolve(answers[`${method} ${path}`])
  const stream = () => Promise.resolve(Readable.from([Buffer.from('{"seq":1,"type":"text","text":"New."}\n')]))
  const [stdout, stderr] = [new LinesOut(), new LinesOut()]
  const context = {
    stdin: new PassThrough().end('x\n'),
    out: new Output(stdout, stderr),
    // A command that waits for ever fails here.
    interrupted: AbortSignal.timeout(60_000),
    isJson: false,
  } as unknown as Context & { isJson: boolean }
  const code = await sayOnce({ json, stream } as unknown as Client, { id: 'c', fields: {} }, context)
  return { code, said: stdout.text, noted: stderr.text }
}

it('a script learns that its message was refused at once', async () => {
  const message = messageOf('refused', 'The agent is stopped.')
  const { code, said, noted } = await say({ message, turns: [{ message, run: null }] })
  expect([code, said]).toEqual([1, ''])
  expect(noted).toContain('✗ The agent is stopped.')
})

it('a script gets the answer of a turn that has ended before the first look', async () => {
  const run = { ...DONE, state: 'completed', result: 'New.' }
  const message = messageOf('sent')
  const { code, said } = await say({ message, turns: [{ message, run }], run })
  expect([code, said]).toEqual([0, 'New.\n'])
})

it('a script does not wait for a message that was withdrawn', async () => {
  const { code, noted } = await say({ message: messageOf('queued'), turns: [] })
  expect(code).toBe(1)
  expect(noted).toContain('may have been withdrawn')
})
