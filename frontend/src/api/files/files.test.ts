import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Window } from 'happy-dom'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { uploadFile, UploadCancelled } from './files.ts'

vi.mock('../transport/client.ts', () => ({ http: { accessToken: () => Promise.resolve('token') } }))

/** A server on this page's own origin, and a function that uploads a file to it. */
const serve = async (answer: RequestListener) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const window = new Window({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })
  onTestFinished(() => window.happyDOM.close())
  vi.stubGlobal('XMLHttpRequest', window.XMLHttpRequest)
  const file = new window.File(['kept'], 'notes.md') as unknown as File
  return (signal = new AbortController().signal) =>
    uploadFile('agent', '~/notes.md', file, { progress: () => undefined, signal, parents: false })
}

afterEach(() => vi.unstubAllGlobals())

describe('a file that is put into an agent’s home', () => {
  it('is sent once more where the server was not reached, and no more than that', async () => {
    const asked: IncomingMessage[] = []
    let content = ''
    const put = await serve((request, answer) => {
      asked.push(request)
      if (asked.length !== 2) return request.socket.destroy()
      void text(request).then((all) => {
        content = all
        answer.writeHead(204).end()
      })
    })
    await put()
    expect(content).toBe('kept')
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      [1, 2].map(() => ['/api/agents/agent/files?path=%7E%2Fnotes.md', 'Bearer token']),
    )
    await expect(put()).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(asked).toHaveLength(4)
  })

  it('is not sent again where the server says why it does not take it, or its person does not want it any more', async () => {
    let asked = 0
    const body = { statusCode: 409, code: 'WRONG_STATE', error: 'x', message: 'The agent is not running.' }
    const put = await serve((_request, answer) => {
      asked += 1
      answer.writeHead(409).end(JSON.stringify(body))
    })
    await expect(put()).rejects.toMatchObject({ code: 'WRONG_STATE', message: body.message })
    await expect(put(AbortSignal.abort())).rejects.toThrow(UploadCancelled)
    expect(asked).toBe(1)
  })
})
