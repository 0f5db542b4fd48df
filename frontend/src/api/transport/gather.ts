import { errorOf, unreachable } from './errors.ts'
import type { Progress } from './reading.ts'

/** How often it is asked for where the network fails. */
const TRIES_MAX = 2

/** What is to be saved as a file. */
export interface Gathered {
  readonly content: Blob
  /** As the server calls it; null where it does not say. */
  readonly name: string | null
}

/** Who is told how far it is, and what ends it. */
export interface Gathering {
  readonly told: (progress: Progress) => void
  readonly signal: AbortSignal
}

/**
 * Gathers an answer to be saved, since the browser's own downloads do not send the access token. Not by `fetch`: of a request of this
 * kind a browser tells how far it is, and keeps what has come outside of the page's memory, on its disk where it is much.
 */
export async function gather(url: string, bearer: string, way: Gathering): Promise<Gathered> {
  const request = await ask(url, bearer, way)
  const content = request.response as Blob
  if (request.status !== 200) throw await errorOf(new Response(content, { status: request.status }))
  return { content, name: nameIn(request.getResponseHeader('content-disposition')) }
}

/** Resolves with one that is answered in full. Rejects with what `signal` was ended with, too. */
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
    // Once more where the network changed before there was an answer, as with everything that a page asks for. A file that is cut
    // off is none.
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
