// An app in an agent, on 127.0.0.1 alone, that attacks the browser of its user and the server in between.
import { createServer } from 'node:http'

/** Keeps the addresses of all requests, and asks the server for nothing else. */
const WORKER = `
const seen = []
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('/seen')) event.respondWith(new Response(JSON.stringify(seen)))
  else seen.push(event.request.url)
})`

const received = []

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/received') return response.end(JSON.stringify(received))
  received.push(`${request.method} ${request.url} ${request.headers.host}`)
  // Bytes of the test's choice in place of an answer.
  if (pathname === '/raw') return request.socket.end(Buffer.from(searchParams.get('bytes'), 'base64url'))
  if (pathname === '/large') return request.socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)
  if (pathname === '/to') return response.writeHead(302, { location: searchParams.get('url') }).end()
  if (pathname === '/worker.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(WORKER)
  response.writeHead(200, {
    'content-type': 'text/html',
    'set-cookie': ['slipway_refresh=tossed; Domain=localhost; Path=/', 'own=1'],
  })
  response.end('<!doctype html><title>hostile</title><p>hostile</p>')
}).listen(Number(process.argv[2]), '127.0.0.1')
