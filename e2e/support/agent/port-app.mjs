// An app in an agent, on 127.0.0.1 alone: what developers' servers do, and what a hostile one may try.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const BIG_BYTES = 20_000_000

const routes = {
  '/headers': (request, response) => response.end(JSON.stringify(request.headers)),
  '/echo': (request, response) => request.pipe(response),
  '/big': (_request, response) => response.end(Buffer.alloc(BIG_BYTES, 'x')),
  '/redirect': (request, response) =>
    response.writeHead(302, { location: `http://${request.headers.host}/landed?x=1` }).end(),
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: first\n\n')
    routes.next = () => response.end('data: second\n\n')
  },
  '/next': (_request, response) => {
    routes.next()
    response.end()
  },
  '/hostile': (_request, response) =>
    response
      .writeHead(200, {
        'set-cookie': ['slipway_port=tossed; Domain=localhost', 'own=1; Domain=example.org'],
        'clear-site-data': '"cookies"',
      })
      .end('<iframe src="/"></iframe>'),
  // Closes a connection that it has promised to keep.
  '/brief': (_request, response) => response.end('brief', () => response.socket.end()),
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.socket.destroy())
  },
}

const server = createServer((request, response) => {
  const route = routes[request.url.split('?')[0]]
  if (route) route(request, response)
  else response.end(`${request.method} ${request.url}`)
})
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/no-socket') return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  // Sends back each frame of a client without its mask: frames of the tests are short.
  const echo = (chunk) => {
    const length = chunk[1] & 0x7f
    const mask = chunk.subarray(2, 6)
    const text = Buffer.from(chunk.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]))
    socket.write(Buffer.concat([Buffer.from([chunk[0], length]), text]))
  }
  if (head.length > 0) echo(head)
  socket.on('data', echo)
  socket.on('error', () => undefined)
})
server.listen(Number(process.argv[2]), '127.0.0.1')
