import { describe, expect, it } from 'vitest'
import type { Message } from '../../providers/headless/headless.ts'
import { RunMessages } from './messages.ts'

const HELLO: Message = { id: 'hello', line: '{"id":"hello"}' }
const PROMPT: Message = { id: 'prompt', line: '{"id":"prompt"}', once: true }

const setUp = (isFull = false) => {
  const done: string[] = []
  const messages = new RunMessages({
    input: { write: (bytes) => done.push(`wrote ${Buffer.from(bytes).toString()}`) > 0 },
    sending: async (id) => {
      await Promise.resolve()
      if (isFull) throw new Error('the transcript takes nothing any more')
      done.push(`stored ${id}`)
    },
  })
  return { messages, done, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('the messages of a run', () => {
  it('are written once each, in order, and the transcript knows first of what the CLI would do twice', async () => {
    const { messages, done, settled } = setUp()
    messages.update([HELLO])
    messages.update([HELLO, PROMPT])
    messages.update([PROMPT])
    expect(await messages.write('{"id":"cancel"}')).toBe(true)
    await settled()
    expect(done).toEqual([
      'wrote {"id":"hello"}\n',
      'stored prompt',
      'wrote {"id":"prompt"}\n',
      'wrote {"id":"cancel"}\n',
    ])
  })

  it('are written again when the CLI asks for one anew', async () => {
    const { messages, done, settled } = setUp()
    for (const list of [[HELLO], [], [HELLO]]) messages.update(list)
    await settled()
    expect(done).toEqual(['wrote {"id":"hello"}\n', 'wrote {"id":"hello"}\n'])
  })

  it('stay unwritten where it cannot be stored that they are sent, and the next one follows', async () => {
    const { messages, done, settled } = setUp(true)
    messages.update([PROMPT, HELLO])
    await settled()
    expect(done).toEqual(['wrote {"id":"hello"}\n'])
  })
})
