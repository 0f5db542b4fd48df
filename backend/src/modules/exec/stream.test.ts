import { once } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ResultStream } from './stream.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

it('keeps its last line for a reader who takes minutes to read it', async () => {
  const stream = new ResultStream()
  stream.output('stdout', Buffer.from('one'))
  stream.fail({ statusCode: 403, code: 'FORBIDDEN', error: 'Forbidden', message: 'No more.' })
  vi.advanceTimersByTime(120_000)
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(stream, 'end')
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(['stdout', 'error'])
})
