import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Window } from 'happy-dom'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { gather, type Gathering } from './gather.ts'
import type { Progress } from './reading.ts'

/** A server on this page's own origin. */
const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const window = new Window({ url })
  onTestFinished(() => window.happyDOM.close())
  vi.stubGlobal('XMLHttpRequest', window.XMLHttpRequest)
  vi.stubGlobal('Response', window.Response)
  return `${url}file`
}
const way = (): Gathering & { abort: AbortController; progress: Progress[] } => {
  const [abort, progress] = [new AbortController(), [] as Progress[]]
  return { abort, progress, signal: abort.signal, told: (now) => progress.push(now) }
}

afterEach(() => vi.unstubAllGlobals())

describe('a file that is to be saved', () => {
  it('is asked for with the token, and comes with its name', async () => {
    const url = await serve(({ headers }, answer) => {
      answer.writeHead(200, { 'content-disposition': "attachment; filename*=UTF-8''a%20b.txt" })
      answer.end(headers.authorization)
    })
    const { content, name } = await gather(url, 'token', way())
    expect([await content.text(), name]).toEqual(['Bearer token', 'a b.txt'])
  })

  it('says in a sentence why there is none', async () => {
    const body = { statusCode: 404, code: 'NOT_FOUND', error: 'x', message: 'There is no such file or folder.' }
    const url = await serve((_request, answer) => answer.writeHead(404).end(JSON.stringify(body)))
    await expect(gather(url, 'token', way())).rejects.toMatchObject({ code: 'NOT_FOUND', message: body.message })
  })

  it('is asked for once more where there was no answer, and no more than that', async () => {
    let asked = 0
    const url = await serve((request, answer) => {
      asked += 1
      if (asked === 2) answer.end('there')
      else request.socket.destroy()
    })
    expect(await (await gather(url, 'token', way())).content.text()).toBe('there')
    await expect(gather(url, 'token', way())).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(asked).toBe(4)
  })

  it('is none when it is cut off, and not asked for again', async () => {
    let asked = 0
    const url = await serve((request, answer) => {
      asked += 1
      answer.writeHead(200, { 'content-length': '8' })
      answer.write('half', () => request.socket.destroy())
    })
    await expect(gather(url, 'token', way())).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(asked).toBe(1)
  })

  it('tells how far it is, and is given up when that is wished', async () => {
    let close = (): void => undefined
    const closed = new Promise<void>((resolve) => (close = resolve))
    const url = await serve((_request, answer) => {
      answer.on('close', close)
      answer.writeHead(200, { 'content-length': '8' })
      answer.write('half')
    })
    const going = way()
    const failed = gather(url, 'token', {
      signal: going.signal,
      told: (now) => {
        going.progress.push(now)
        going.abort.abort()
      },
    })
    await expect(failed).rejects.toThrow('aborted')
    await closed
    expect(going.progress).toEqual([{ loaded: 4, total: 8 }])
  })
})
