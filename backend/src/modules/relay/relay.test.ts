/** The real relay in a real container, which carries HTTP for programs there. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { until } from '@slipway/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { useSubject } from '../../../test/conformance/subject.ts'
import { silentLog } from '../../lib/log.ts'
import { openRelay, type Relay, RELAY_SOCKET } from './open.ts'

const { runtime } = useEngine()
const subject = useSubject({ runtime, image: IMAGE })
const open: Relay[] = []

const listen = async (server: Server): Promise<Relay> => {
  const relay = await openRelay({ runtime, log: silentLog }, subject.containerId, (stream) =>
    server.emit('connection', stream),
  )
  open.push(relay)
  return relay
}
afterEach(async () => {
  for (const relay of open.splice(0)) {
    await relay.end()
    await relay.over
  }
})

/** Answers with what came. */
const echo = (): Server =>
  createServer((request: IncomingMessage, response) => void buffer(request).then((body) => response.end(body)))
const sh = async (script: string): Promise<string> => (await subject.sh(script)).stdout.toString()
const CURL = `curl -sS --unix-socket ${RELAY_SOCKET} http://slipway`

describe('a relay', () => {
  it('carries a request of a program in the container, and its answer', async () => {
    const server = createServer((request, response) => response.end(`${request.method ?? ''} ${request.url ?? ''}`))
    const relay = await listen(server)
    expect(await sh(`${CURL}/one; ${CURL}/two -X PUT`)).toBe('GET /onePUT /two')
    await until('the connections to be closed', () => relay.carried.size === 0)
  })

  it('carries bodies larger than its windows, in many connections at once, each whole', async () => {
    await listen(echo())
    const one = (n: number): string =>
      `head -c 1000000 /dev/urandom >in.${n} && ${CURL}/ --data-binary @in.${n} -o out.${n} && cmp in.${n} out.${n}`
    const all = Array.from({ length: 8 }, (_, n) => `(${one(n)}; echo $?) &`).join('\n')
    expect((await sh(`cd /tmp\n${all}\nwait`)).trim().split('\n')).toEqual(Array(8).fill('0'))
  })

  it('lets a slow connection delay no other', async () => {
    const server = createServer((request, response) => {
      // Nothing reads this body.
      if (request.url === '/slow') request.pause()
      else response.end('quick')
    })
    await listen(server)
    await sh(`cd /tmp; head -c 5000000 /dev/zero >slow.in; (${CURL}/slow --data-binary @slow.in >/dev/null 2>&1 &)`)
    expect(await sh(`${CURL}/`)).toBe('quick')
  })

  it('closes connections beyond its number, and takes new ones afterwards', async () => {
    const relay = await listen(createServer((_request, response) => response.end('there')))
    const hold = `python3 - <<'END'
import select, socket
held = []
for _ in range(40):
    s = socket.socket(socket.AF_UNIX); s.connect('${RELAY_SOCKET}'); held.append(s)
left = set(held)
while len(left) > 32:
    ready = select.select(left, [], [], 10)[0]
    if not ready: break
    left -= {s for s in ready if s.recv(1) == b''}
for s in left: s.sendall(b'GET / HTTP/1.1\\r\\nHost: there\\r\\n\\r\\n')
print(len(held) - len(left), sum(s.recv(8) == b'HTTP/1.1' for s in left))
END`
    expect((await sh(hold)).trim()).toBe('8 32')
    await until('all of them to be closed', () => relay.carried.size === 0)
    expect(await sh(`${CURL}/`)).toBe('there')
  })

  it('whose pipe a program floods is read only as fast as it may send, and goes on', async () => {
    await listen(createServer((_request, response) => response.end('there')))
    // Each closes a connection that is none.
    const flood = `import sys; sys.stdout.buffer.write((b'c' + bytes(6)) * 20_000)`
    const begun = performance.now()
    await sh(`python3 -c "${flood}" >/proc/$(pgrep -xf '/usr/local/lib/slipway/relay .*')/fd/1`)
    expect(await sh(`${CURL}/`)).toBe('there')
    expect(performance.now() - begun).toBeGreaterThan(5_000)
  })

  it('is started again after it has ended, at the same address', async () => {
    const first = await listen(createServer((_request, response) => response.end('first')))
    await sh('pkill -f lib/slipway/relay')
    await first.over
    await listen(createServer((_request, response) => response.end('second')))
    expect(await sh(`${CURL}/`)).toBe('second')
  })
})
