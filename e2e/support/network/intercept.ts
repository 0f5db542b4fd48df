/**
 * Requests of a page that a test answers, changes, holds or loses.
 *
 * This uses Chromium's Fetch domain. Playwright's own routes switch off the page's HTTP cache: an import then fetches a part of the
 * page again that was fetched beforehand, and loses it when a network interface comes up.
 */
import type { CDPSession, Page } from 'playwright'

/** What a request may fail with, by Chromium's names. */
type Failure = 'Failed' | 'ConnectionReset'

interface Header {
  readonly name: string
  readonly value: string
}

/** The parts of Chromium's event that are used here. It comes once for a request, and again for an answer that was asked for. */
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

/** An answer of the server's, held before the page has it. */
export interface Answer {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string
}

/** What the page is given in place of an answer; `json` is a body, too. */
export interface Given {
  readonly status?: number
  readonly headers?: readonly Header[]
  readonly body?: string
  readonly json?: unknown
}

export interface Interception {
  /** Lets everything through from now on, and what is held. */
  stop(): Promise<void>
}

/** The server's answer was lost on its way: the page has been told, and the handler ends. */
class AnswerLost extends Error {}

/** Chromium says so of a request that the page has given up, and Playwright of a page that is closed. */
const IS_OVER = /Invalid InterceptionId|has been closed|Session closed|Target closed/
/** They describe the bytes on the wire, not the body that the page is given. */
const OF_THE_WIRE = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

const encoded = (text: string): string => Buffer.from(text).toString('base64')

/** One request that waits. A handler that does nothing with it holds it. */
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

  /** A header of the request, undefined where it has none of that name. */
  header(name: string): string | undefined {
    const { headers } = this.#paused.request
    return Object.entries(headers).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]
  }

  /** The request's body, null where it has none. */
  get body(): string | null {
    return this.#paused.request.postData ?? null
  }

  /** What it is for, by Chromium's names: `Script`, `Document` ...; `XHR` is a fetch, too. */
  get kind(): string {
    return this.#paused.resourceType
  }

  /** Sends it to the server, or to another `url`, or with another body. */
  async continue({ url, body }: { url?: string; body?: string } = {}): Promise<void> {
    const changes = { ...(url !== undefined && { url }), ...(body !== undefined && { postData: encoded(body) }) }
    await this.#send(() => this.#devTools.send('Fetch.continueRequest', { requestId: this.#id, ...changes }))
  }

  /** The page is told that the network failed. */
  async abort(errorReason: Failure = 'Failed'): Promise<void> {
    await this.#send(() => this.#devTools.send('Fetch.failRequest', { requestId: this.#id, errorReason }))
  }

  /** Sends it to the server, and holds the answer. Then `fulfill` or `abort` says what the page gets. */
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
 * From now on the requests of `page` to addresses like one of `patterns` wait for `handle`; the later ones do not once there were as many as
 * `times`. In a pattern `*` stands for any characters and `?` for one; `\\?` is a question mark. Name no more than the test is about:
 * an address of the API, not all files of the page.
 */
export const intercept = async (
  page: Page,
  patterns: string | readonly string[],
  handle: (request: Held) => unknown,
  { times = Infinity } = {},
): Promise<Interception> => {
  const devTools = await page.context().newCDPSession(page)
  /** By the request's id: who waits for its answer. */
  const answers = new Map<string, (answer: Paused) => void>()
  let seen = 0
  const run = async (held: Held): Promise<void> => {
    try {
      await handle(held)
    } catch (error) {
      if (!(error instanceof AnswerLost || IS_OVER.test(String(error)))) throw error
    }
  }
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
    // What is paused goes on when its session ends.
    stop: () => devTools.detach(),
  }
}
