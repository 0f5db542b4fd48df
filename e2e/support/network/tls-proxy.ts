/** A proxy that takes https from browsers and speaks http to the server, as docs/operating/operations.md asks for. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TlsProxy {
  readonly port: number
  /** The authority of its certificate, which is self-signed. */
  readonly ca: string
  close(): Promise<void>
}

const certificateFor = (names: readonly string[]): { key: string; cert: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
        ...['-subj', '/CN=slipway', '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
        ...['-keyout', key, '-out', cert],
      ],
      { stdio: 'pipe' },
    )
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a client claims of itself ends here. */
const headersOf = ({ rawHeaders, socket }: IncomingMessage): string[] => {
  const headers = ['X-Forwarded-Proto', 'https', 'X-Forwarded-For', socket.remoteAddress ?? '']
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^x-forwarded-/i.test(rawHeaders[at]!)) headers.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  return headers
}

/** In front of 127.0.0.1:`serverPort`, with a certificate for these names. */
export const startTlsProxy = async (names: readonly string[], serverPort: number): Promise<TlsProxy> => {
  const certificate = certificateFor(names)
  const proxy = createServer(certificate, (incoming, outgoing) => {
    const { method, url } = incoming
    const to = { host: '127.0.0.1', port: serverPort, method, path: url, headers: headersOf(incoming), setHost: false }
    const passed = request(to, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
      answer.once('error', () => outgoing.destroy())
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.once('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  proxy.on('upgrade', (incoming: IncomingMessage, socket, head: Buffer) => {
    const server = connect(serverPort, '127.0.0.1')
    const headers = headersOf(incoming)
    const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []))
    server.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    server.write(head)
    socket.pipe(server)
    server.pipe(socket)
    for (const [from, to] of [
      [socket, server],
      [server, socket],
    ] as const)
      from.on('error', () => to.destroy()).once('close', () => to.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    ca: certificate.cert,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      }),
  }
}
