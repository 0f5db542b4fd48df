// An app for measurements: a page of many files, a download, a small answer, and WebSockets that send back what comes.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const [port, files, fileBytes, downloadBytes] = process.argv.slice(2).map(Number)
const SCRIPT = `/*${'x'.repeat(fileBytes)}*/`
const CHUNK = Buffer.alloc(65_536, 'x')
const PAGE = `<!doctype html><title>bench</title>${Array.from({ length: files }, (_, at) => `<script src="/file${at}.js"></script>`).join('')}`

const download = (response) => {
  response.writeHead(200, { 'content-length': downloadBytes })
  let left = downloadBytes
  const more = () => {
    while (left > 0) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
      left -= chunk.length
      if (!response.write(chunk)) return response.once('drain', more)
    }
    response.end()
  }
  more()
}

const server = createServer((request, response) => {
  response.setHeader('cache-control', 'no-store')
  if (request.url === '/download') return download(response)
  if (request.url === '/small') return response.end('small')
  response.setHeader('content-type', request.url === '/page' ? 'text/html' : 'text/javascript')
  response.end(request.url === '/page' ? PAGE : SCRIPT)
})
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.setNoDelay()
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  // Messages of the measurement are shorter than 126 bytes, and each waits for the one before it.
  socket.on('data', (chunk) => {
    const length = chunk[1] & 0x7f
    const mask = chunk.subarray(2, 6)
    const text = Buffer.from(chunk.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]))
    socket.write(Buffer.concat([Buffer.from([chunk[0], length]), text]))
  })
  socket.on('error', () => undefined)
})
server.listen(port, '0.0.0.0')
