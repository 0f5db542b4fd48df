/** A push service for tests: real HTTPS, and it decrypts what it gets, as a browser would (RFC 8188, 8291, 8292). */
import { execFile } from 'node:child_process'
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A browser's subscription, as the server stores it. */
export interface Subscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** A push as it came, decrypted. */
export interface Pushed {
  readonly endpoint: string
  readonly headers: IncomingHttpHeaders
  /** The bytes on the wire. */
  readonly bytes: number
  /** The decrypted text. */
  readonly text: string
  /** The claims of the server's proof, whose signature is checked. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string }
  /** The server's public key, as base64url. */
  readonly publicKey: string
}

export interface PushService {
  /** The file with its certificate, for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string
  /** The same as text. */
  readonly ca: string
  readonly received: Pushed[]
  /** The status of its answers from now on; by default 201. */
  status: number
  /** A new subscription. */
  subscribe(): Subscription
  close(): Promise<void>
}

interface Keys {
  readonly ecdh: ReturnType<typeof createECDH>
  readonly auth: Buffer
}

const CERTIFICATE = [
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:prime256v1',
  '-nodes',
  '-days',
  '2',
]
const SUBJECT = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
/** Salt, record size, and length of the key's id (RFC 8188, 2.1). */
const HEADER = 21
const TAG = 16

/** Starts one at a free port of 127.0.0.1. */
export const startPushService = async (): Promise<PushService> => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-push-service-'))
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'ca.pem')]
  await promisify(execFile)('openssl', [...CERTIFICATE, ...SUBJECT, '-keyout', keyFile, '-out', caFile])
  const [key, ca] = await Promise.all([readFile(keyFile, 'utf8'), readFile(caFile, 'utf8')])
  const subscribers = new Map<string, Keys>()
  const server = createServer({ key, cert: ca }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const keys = subscribers.get(request.url ?? '')
      if (!keys) return void response.writeHead(404).end()
      const body = Buffer.concat(parts)
      const of = { endpoint: `${origin()}${request.url}`, headers: request.headers, bytes: body.length }
      service.received.push({ ...of, text: decrypted(body, keys), ...proofIn(request.headers.authorization ?? '') })
      response.writeHead(service.status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = (): string => `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service: PushService = {
    ...{ caFile, ca, received: [], status: 201 },
    subscribe: () => {
      const keys = { ecdh: createECDH('prime256v1'), auth: randomBytes(16) }
      const p256dh = keys.ecdh.generateKeys('base64url')
      const path = `/push/${randomBytes(16).toString('base64url')}`
      subscribers.set(path, keys)
      return { endpoint: `${origin()}${path}`, p256dh, auth: keys.auth.toString('base64url') }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true })
    },
  }
  return service
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

const decrypted = (body: Buffer, { ecdh, auth }: Keys): string => {
  const salt = body.subarray(0, 16)
  const senderEnd = HEADER + body.readUInt8(HEADER - 1)
  const sender = body.subarray(HEADER, senderEnd)
  const record = body.subarray(senderEnd)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const input = derive(ecdh.computeSecret(sender), auth, info, 32)
  const contentKey = derive(input, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(input, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce)
  decipher.setAuthTag(record.subarray(-TAG))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG)), decipher.final()])
  // The last byte that is not padding ends the text.
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
}

/** Reads `vapid t=…, k=…`. Throws if the signature is not of that key. */
const proofIn = (authorization: string): Pick<Pushed, 'claims' | 'publicKey'> => {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)]
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${header}.${claims}`)
  const isRight = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  if (!isRight) throw new Error('the proof of the server is not signed by its key')
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Pushed['claims']
  return { claims: said, publicKey }
}
