import { errorOf, unreachable } from './errors.ts'
import type { Progress } from './reading.ts'

/** Most tries while the network fails. */
const TRIES_MAX = 2

/** A response to save as a file. */
export interface Gathered {
  readonly content: Blob
  /** The server's name for the file; null if it gives none. */
  readonly name: string | null
}

/** Reports the progress, and cancels the request. */
export interface Gathering {
  readonly told: (progress: Progress) => void
  readonly signal: AbortSignal
}

/**
 * Loads a response to be saved, because the browser's own downloads do not send the access token. It uses
 * `XMLHttpRequest` instead of `fetch`. That reports progress, and the browser keeps a large body on disk, outside the
 * page's memory.
 */
export async function gather(url: string, bearer: string, way: Gathering): Promise<Gathered> {
  const request = await ask(url, bearer, way)
  const content = request.response as Blob
  if (request.status !== 200) throw await errorOf(new Response(content, { status: request.status }))
  return { content, name: nameIn(request.getResponseHeader('content-disposition')) }
}

/** Resolves with a request whose response is complete. Also rejects with the abort reason of `signal`. */
async function ask(url: string, bearer: string, { told, signal }: Gathering): Promise<XMLHttpRequest> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('GET', url)
    request.responseType = 'blob'
    request.setRequestHeader('authorization', `Bearer ${bearer}`)
    request.onprogress = ({ loaded, total, lengthComputable }) =>
      told({ loaded, total: lengthComputable ? total : null })
    const abort = (): void => request.abort()
    signal.addEventListener('abort', abort)
    const answer = await endOf(request)
    signal.removeEventListener('abort', abort)
    signal.throwIfAborted()
    if (answer === 'whole') return request
    // If the network changed before the response began, retries once, like all requests of this page. A truncated file
    // counts as a failure.
    if (answer === 'cut' || tries === TRIES_MAX) throw unreachable(null)
  }
}

const endOf = (request: XMLHttpRequest): Promise<'whole' | 'cut' | 'none'> =>
  new Promise((resolve) => {
    let isAnswered = false
    request.onreadystatechange = () => (isAnswered ||= request.status !== 0)
    request.onload = () => resolve('whole')
    request.onerror = () => resolve(isAnswered ? 'cut' : 'none')
    request.onabort = () => resolve('cut')
    request.send()
  })

function nameIn(disposition: string | null): string | null {
  const name = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1]
  return name === undefined ? null : decodeURIComponent(name)
}
