/**
 * Intercepts a page's requests, so that a test can answer, change, hold or lose them.
 *
 * This uses Chromium's Fetch domain. Playwright's own routes switch off the page's HTTP cache. Then an import would
 * fetch a preloaded part of the page again, and lose it when a network interface comes up.
 */
import type { CDPSession, Page } from 'playwright'
import { onTestFinished } from 'vitest'

/** Chromium's names of network failures. */
type Failure = 'Failed' | 'ConnectionReset'

interface Header {
  readonly name: string
  readonly value: string
}

/** The fields used of Chromium's event. It fires once for a request, and again for a response that was asked for. */
interface Paused {
  readonly requestId: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly postData?: string | undefined
  }
  readonly resourceType: string
  readonly responseStatusCode?: number | undefined
  readonly responseErrorReason?: string | undefined
  readonly responseHeaders?: readonly Header[] | undefined
}

/** A response of the server that the page has not got yet. */
export interface Answer {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string
}

/** A response for the page in place of the server's. `json` is an alternative to `body`. */
export interface Given {
  readonly status?: number
  readonly headers?: readonly Header[]
  readonly body?: string
  readonly json?: unknown
}

export interface Interception {
  /** Stops intercepting, and lets held requests through. */
  stop(): Promise<void>
}

/** The server's response was lost on the network. The page has the error, and the handler ends. */
class AnswerLost extends Error {}

/** Chromium's error for a request that the page has cancelled, and Playwright's for a closed page. */
const IS_OVER = /Invalid InterceptionId|has been closed|Session closed|Target closed/
/** Headers about the bytes on the wire, not about the body that the page gets. */
const OF_THE_WIRE = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

const encoded = (text: string): string => Buffer.from(text).toString('base64')

/** One paused request. It stays paused until the handler decides. */
export class Held {
  readonly #devTools: CDPSession
  readonly #paused: Paused
  readonly #answers: Map<string, (answer: Paused) => void>

  constructor(devTools: CDPSession, paused: Paused, answers: Map<string, (answer: Paused) => void>) {
    this.#devTools = devTools
    this.#paused = paused
    this.#answers = answers
  }

  get url(): URL {
    return new URL(this.#paused.request.url)
  }

  get method(): string {
    return this.#paused.request.method
  }

  /** A header of the request, or undefined. */
  header(name: string): string | undefined {
    const { headers } = this.#paused.request
    return Object.entries(headers).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]
  }

  /** The request's body, or null. */
  get body(): string | null {
    return this.#paused.request.postData ?? null
  }

  /** Resource type in Chromium's names: `Script`, `Document` ... `XHR` includes fetch. */
  get kind(): string {
    return this.#paused.resourceType
  }

  /** Sends the request to the server, or to another `url`, or with another body. */
  async continue({ url, body }: { url?: string; body?: string } = {}): Promise<void> {
    const changes = { ...(url !== undefined && { url }), ...(body !== undefined && { postData: encoded(body) }) }
    await this.#send(() => this.#devTools.send('Fetch.continueRequest', { requestId: this.#id, ...changes }))
  }

  /** Reports a network failure to the page. */
  async abort(errorReason: Failure = 'Failed'): Promise<void> {
    await this.#send(() => this.#devTools.send('Fetch.failRequest', { requestId: this.#id, errorReason }))
  }

  /** Sends the request to the server and holds the response. Then call `fulfill` or `abort`. */
  async answer(): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Paused>()
    this.#answers.set(this.#id, resolve)
    await this.#send(() =>
      this.#devTools.send('Fetch.continueRequest', { requestId: this.#id, interceptResponse: true }),
    )
    const { responseStatusCode, responseErrorReason, responseHeaders = [] } = await promise
    if (responseErrorReason !== undefined) {
      await this.continue()
      throw new AnswerLost(responseErrorReason)
    }
    const { body, base64Encoded } = await this.#devTools.send('Fetch.getResponseBody', { requestId: this.#id })
    return {
      status: responseStatusCode ?? 200,
      headers: responseHeaders.filter(({ name }) => !OF_THE_WIRE.has(name.toLowerCase())),
      body: base64Encoded ? Buffer.from(body, 'base64').toString() : body,
    }
  }

  async fulfill({ status = 200, headers = [], body = '', json }: Given): Promise<void> {
    const isJson = json !== undefined && !headers.some(({ name }) => name.toLowerCase() === 'content-type')
    await this.#send(() =>
      this.#devTools.send('Fetch.fulfillRequest', {
        requestId: this.#id,
        responseCode: status,
        responseHeaders: [...headers, ...(isJson ? [{ name: 'content-type', value: 'application/json' }] : [])],
        body: encoded(json === undefined ? body : JSON.stringify(json)),
      }),
    )
  }

  get #id(): string {
    return this.#paused.requestId
  }

  async #send(command: () => Promise<unknown>): Promise<void> {
    await command().catch((error: unknown) => {
      if (!IS_OVER.test(String(error))) throw error
    })
  }
}

/**
 * Passes requests of `page` to `handle` if their address matches one of `patterns`, at most `times` of them. In a
 * pattern `*` stands for any characters and `?` for one; `\\?` is a question mark. Keep patterns narrow: an address of
 * the API, not all files of the page. An error of `handle` fails the test. Call it in a test.
 */
export const intercept = async (
  page: Page,
  patterns: string | readonly string[],
  handle: (request: Held) => unknown,
  { times = Infinity } = {},
): Promise<Interception> => {
  const devTools = await page.context().newCDPSession(page)
  /** Callbacks that wait for a response, by the request's id. */
  const answers = new Map<string, (answer: Paused) => void>()
  let seen = 0
  const errors: unknown[] = []
  const run = async (held: Held): Promise<void> => {
    try {
      await handle(held)
    } catch (error) {
      if (!(error instanceof AnswerLost || IS_OVER.test(String(error)))) errors.push(error)
    }
  }
  onTestFinished(() => {
    if (errors.length > 0) throw errors[0]
  })
  devTools.on('Fetch.requestPaused', (paused) => {
    const answered = answers.get(paused.requestId)
    if (answered) {
      answers.delete(paused.requestId)
      return answered(paused)
    }
    const held = new Held(devTools, paused, answers)
    seen += 1
    void (seen > times ? held.continue() : run(held))
  })
  await devTools.send('Fetch.enable', {
    patterns: [patterns].flat().map((urlPattern) => ({ urlPattern })),
  })
  return {
    // Detaching lets paused requests continue.
    stop: () => devTools.detach(),
  }
}
