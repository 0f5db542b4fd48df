/** An answer in lines of JSON, made while a program prints. */
import { Readable } from 'node:stream'
import type { ListEnd } from '@slipway/protocol'
import { errorBodyOf } from '../../../plugins/errors.ts'
import { asAppError } from '../../../runtime/app-error.ts'

export const NDJSON = 'application/x-ndjson'

/**
 * The lines of a list, and `end` as the last one. A failure becomes the last line, because the status was sent already.
 * `onClose` is called once: after the last line, or as soon as the reader is gone.
 */
export const ndjsonOf = (lines: AsyncGenerator<object, ListEnd>, onClose: () => void): Readable => {
  const stream = Readable.from(textOf(lines), { objectMode: false })
  return stream.once('close', onClose)
}

async function* textOf(lines: AsyncGenerator<object, ListEnd>): AsyncGenerator<string, void> {
  try {
    for (;;) {
      const { done, value } = await lines.next()
      yield `${JSON.stringify(value)}\n`
      if (done) return
    }
  } catch (error) {
    const { code, message } = errorBodyOf(asAppError(error))
    yield `${JSON.stringify({ type: 'error', code, message })}\n`
  } finally {
    await lines.return({ type: 'end', truncated: false }).catch(() => undefined)
  }
}
