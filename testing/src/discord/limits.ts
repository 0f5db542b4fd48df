/** The rate limits of a Discord for tests (Discord's documentation, "Rate Limits"): of each route, and of the whole bot. */
import { createHash } from 'node:crypto'

/** So many requests in so many seconds. */
interface Pace {
  readonly requests: number
  readonly seconds: number
}

/** A request that was refused. */
export interface Limited {
  readonly method: string
  readonly path: string
  readonly scope: 'user' | 'global'
}

interface Verdict {
  readonly headers: Readonly<Record<string, string>>
  /** The answer in place of the API's; null if the request is in the limits. */
  readonly refusal: { readonly message: string; readonly retry_after: number; readonly global: boolean } | null
}

/** Rounded up: a bot that waits so long is not too early. */
const secondsUntil = (time: number): number => Math.max(1, Math.ceil(time - Date.now())) / 1000

/** A route has its channel in it, which has limits of its own. */
const routeOf = (path: string): { readonly route: string; readonly channel: string } => {
  const channel = /^\/channels\/(\d+)/.exec(path)?.[1] ?? ''
  return { channel, route: path.replaceAll(/\d{17,}/g, 'ID').replace(/\/reactions\/.*/, '/reactions/EMOJI') }
}

export class Limits {
  readonly refused: Limited[] = []
  /** What each route takes. The default is more than a test asks for. */
  bucket: Pace = { requests: 1000, seconds: 1 }
  #refusing = { requests: 0, seconds: 0 }
  #globalSeconds = 0
  #globalUntil = 0
  /** By bucket and channel. */
  readonly #windows = new Map<string, { used: number; readonly until: number }>()

  /** The next requests are refused, although the headers promised more: other bots share the limit. */
  refuse(pace: Pace): void {
    this.#refusing = { ...pace }
  }

  /** The next request goes over the limit of the whole bot, so for these seconds no route takes any. */
  exceedGlobally(seconds: number): void {
    this.#globalSeconds = seconds
  }

  /** Counts a request. Interactions have no limits here: in Discord they do not count for the bot's. */
  look(method: string, path: string): Verdict {
    if (path === '/gateway/bot' || path.startsWith('/interactions/') || path.startsWith('/webhooks/'))
      return { headers: {}, refusal: null }
    if (this.#globalSeconds > 0) {
      this.#globalUntil = Date.now() + this.#globalSeconds * 1000
      this.#globalSeconds = 0
    }
    if (this.#globalUntil > Date.now()) {
      this.refused.push({ method, path, scope: 'global' })
      return refusal(secondsUntil(this.#globalUntil), { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' })
    }
    if (this.#refusing.requests > 0) {
      this.#refusing.requests -= 1
      const { seconds } = this.#refusing
      this.refused.push({ method, path, scope: 'user' })
      return refusal(seconds, { 'x-ratelimit-reset-after': String(seconds), 'x-ratelimit-scope': 'user' })
    }
    return this.#lookAtBucket(method, path)
  }

  #lookAtBucket(method: string, path: string): Verdict {
    const { route, channel } = routeOf(path)
    const bucket = createHash('md5').update(`${method} ${route}`).digest('hex')
    const { requests, seconds } = this.bucket
    const key = `${bucket}:${channel}`
    const before = this.#windows.get(key)
    const isOver = !before || before.until <= Date.now()
    const window = isOver ? { used: 0, until: Date.now() + seconds * 1000 } : before
    this.#windows.set(key, window)
    const isRefused = window.used >= requests
    if (!isRefused) window.used += 1
    const headers = {
      'x-ratelimit-limit': String(requests),
      'x-ratelimit-remaining': String(requests - window.used),
      'x-ratelimit-reset': String(window.until / 1000),
      'x-ratelimit-reset-after': String(secondsUntil(window.until)),
      'x-ratelimit-bucket': bucket,
    }
    if (!isRefused) return { headers, refusal: null }
    this.refused.push({ method, path, scope: 'user' })
    return refusal(secondsUntil(window.until), { ...headers, 'x-ratelimit-scope': 'user' })
  }
}

const refusal = (seconds: number, headers: Readonly<Record<string, string>>): Verdict => ({
  headers: { ...headers, 'retry-after': String(seconds) },
  refusal: {
    ...{ message: 'You are being rate limited.', retry_after: seconds },
    global: headers['x-ratelimit-scope'] === 'global',
  },
})
