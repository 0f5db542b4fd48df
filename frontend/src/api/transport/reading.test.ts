import { describe, expect, it } from 'vitest'
import { ApiError } from './errors.ts'
import { piecesOf, type Progress } from './reading.ts'

const bodyOf = (pieces: readonly string[], after: 'end' | 'failure' = 'end'): ReadableStream<Uint8Array> => {
  const left = pieces.map((piece) => new TextEncoder().encode(piece))
  return new ReadableStream({
    pull: (body) => {
      const next = left.shift()
      if (next) body.enqueue(next)
      else if (after === 'end') body.close()
      else body.error(new TypeError('network error'))
    },
  })
}
const never = new AbortController().signal

/** The whole text, with all progress reports. */
const readAll = async (response: Response): Promise<{ text: string; progress: Progress[] }> => {
  const progress: Progress[] = []
  let text = ''
  for await (const piece of piecesOf(response, never, (now) => progress.push(now)))
    text += new TextDecoder().decode(piece)
  return { text, progress }
}

describe('an answer that is read as it comes', () => {
  it('tells how far it is before each of its pieces', async () => {
    const response = new Response(bodyOf(['one', 'four']), { headers: { 'content-length': '7' } })
    expect(await readAll(response)).toEqual({
      text: 'onefour',
      progress: [0, 3, 7].map((loaded) => ({ loaded, total: 7 })),
    })
  })

  it.each<Record<string, string>>([{}, { 'content-length': '5', 'content-encoding': 'gzip' }])(
    'does not know its length if the server does not say it: %o',
    async (headers) => {
      const { progress } = await readAll(new Response(bodyOf(['one']), { headers }))
      expect(progress.at(-1)).toEqual({ loaded: 3, total: null })
    },
  )

  it('is empty where there is nothing', async () => {
    expect((await readAll(new Response(null))).text).toBe('')
  })

  it('says in a sentence that the network failed', async () => {
    const error: unknown = await readAll(new Response(bodyOf(['one'], 'failure'))).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
  })

  it('is cancelled by a reader that stops', async () => {
    let isLetGo = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => void (isLetGo = true),
    })
    for await (const piece of piecesOf(new Response(body), never)) {
      expect(piece).toHaveLength(1)
      break
    }
    expect(isLetGo).toBe(true)
  })
})
