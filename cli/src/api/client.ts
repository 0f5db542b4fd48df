/** The REST API, called with a token. */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Account } from '../account/account.ts'
import { SlipwayError } from './errors.ts'
import { errorOf, unexpected, unreachable } from './failures.ts'

/** Longest silence of a server while it answers, in milliseconds. A long poll answers within 50 s. */
const SILENCE_MS = 90_000
/** Longest answer that is not a stream, in bytes. Diffs and outputs of programs are the longest. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

export interface Call {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON. */
  readonly body?: object
  readonly headers?: OutgoingHttpHeaders
  readonly signal?: AbortSignal | undefined
  /** Longest silence in milliseconds; 0: it may be silent for as long as it wants. */
  readonly silenceMs?: number
}

export interface Upload {
  readonly bytes: Readable
  readonly size: number
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * A client of one server. It follows no redirect, so the token reaches no other server, and it verifies the certificate of
 * `https` whatever the environment says.
 */
export class Client {
  readonly url: string
  readonly #token: string | null

  /** @param account without a token for the routes that need none */
  constructor({ url, token }: Account | { readonly url: string; readonly token: null }) {
    this.url = url
    this.#token = token
  }

  /** The token, for the first message of a WebSocket. */
  get token(): string {
    return this.#token ?? ''
  }

  /**
   * Calls a route that answers JSON.
   *
   * @param path below `/api`, with its variable parts encoded
   * @throws {SlipwayError}
   */
  async json<T>(method: Method, path: string, call: Call = {}): Promise<T> {
    const answer = await this.stream(method, path, call)
    const text = await textOf(answer, this.url)
    try {
      return JSON.parse(text) as T
    } catch (cause) {
      throw unexpected(answer.statusCode ?? 0, cause)
    }
  }

  /** Calls a route whose answer is read piece by piece. Resolves with the answer if it is not a failure. */
  async stream(method: Method, path: string, call: Call = {}): Promise<IncomingMessage> {
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }
    const request = this.#open(method, path, { ...call, headers: { ...headers, ...call.headers } })
    const answered = answerTo(request, this.url)
    request.end(body)
    return accepted(await answered, this.url)
  }

  /** Sends a file. */
  async upload(path: string, { bytes, size }: Upload, call: Call = {}): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': size }
    const request = this.#open('PUT', path, { ...call, headers })
    const answered = answerTo(request, this.url)
    // If the server refuses, it answers before it has everything.
    const sent = pipeline(bytes, request).catch((error: unknown) => error)
    const answer = await answered
    await textOf(await accepted(answer, this.url), this.url)
    await sent
  }

  #open(method: Method, path: string, { query = {}, headers, signal, silenceMs = SILENCE_MS }: Call) {
    const url = new URL(`${this.url}/api${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const options = {
      method,
      signal,
      timeout: silenceMs,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
      },
    }
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, rejectUnauthorized: true })
        : httpRequest(url, options)
    request.on('timeout', () => request.destroy(new Error('it was silent for too long')))
    return request
  }
}

const answerTo = (request: ReturnType<typeof httpRequest>, url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve)
    // There may be further ones after the answer, which its reader gets.
    request.on('error', (error) => reject(unreachable(url, error)))
  })

const accepted = async (answer: IncomingMessage, url: string): Promise<IncomingMessage> => {
  const { statusCode = 0, headers } = answer
  if (statusCode >= 200 && statusCode < 300) return answer
  throw errorOf(statusCode, headers, await textOf(answer, url).catch(() => ''))
}

/** An answer that is cut off is none: the request may have done its work, as one without an answer may. */
const textOf = async (answer: IncomingMessage, url: string): Promise<string> => {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > ANSWER_BYTES_MAX)
        throw unexpected(answer.statusCode ?? 0, new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`))
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof SlipwayError ? cause : unreachable(url, cause)
  }
  return Buffer.concat(chunks).toString('utf8')
}
