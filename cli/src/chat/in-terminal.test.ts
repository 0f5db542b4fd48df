import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import type { Call, Client } from '../api/client.ts'
import type { Context } from '../arguments/context.ts'
import { Output } from '../output/output.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { chatInTerminal } from './in-terminal.ts'

/** By default Vitest waits for a second, and the machine may be busy. */
const PATIENCE = { timeout: 60_000 }

/** A server with a conversation whose turn runs. It answers no interrupt before `answer` is called. */
const setUp = () => {
  const interrupts: unknown[] = []
  const followed: string[] = []
  const answer = Promise.withResolvers<object>()
  const run = { id: 'first', provider: 'claude-code', prompt: 'hi', state: 'running', completedAt: null, lastSeq: 0 }
  const message = { id: 'message', text: 'hi', state: 'sent', answer: null }
  const json = (_method: string, path: string, { body }: Call = {}): Promise<unknown> => {
    if (path.endsWith('/interrupt')) interrupts.push(body)
    if (path.endsWith('/interrupt')) return answer.promise
    return Promise.resolve(
      path.endsWith('/messages') ? { items: [{ message, run }] } : { state: 'active', activity: 'running' },
    )
  }
  const stream = (_method: string, path: string, { signal }: Call) => {
    followed.push(path)
    const events = new PassThrough()
    signal?.addEventListener('abort', () => events.destroy(new Error('left')))
    return Promise.resolve(events)
  }
  const stdin = new PassThrough()
  const out = new Output(new LinesOut(), new LinesOut())
  const context = { stdin, out, interrupted: new AbortController().signal } as unknown as Context
  const ended = chatInTerminal({ json, stream } as unknown as Client, { id: 'c', fields: {} }, context)
  return { interrupts, followed, answer, type: (keys: string) => void stdin.write(keys), ended }
}

it('an interrupt names the turn that is shown, so that it never ends the next one', async () => {
  const { interrupts, followed, answer, type, ended } = setUp()
  await vi.waitFor(() => expect(followed).toHaveLength(1), PATIENCE)
  type('/interrupt\r')
  await vi.waitFor(() => expect(interrupts).toEqual([{ runId: 'first' }]), PATIENCE)
  type('\x03')
  answer.resolve({})
  await vi.waitFor(() => expect(interrupts).toEqual([{ runId: 'first' }, { runId: 'first' }]), PATIENCE)
  type('\x03')
  expect(await ended).not.toBe(0)
})
