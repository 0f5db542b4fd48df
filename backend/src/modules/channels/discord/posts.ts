/**
 * Posts each message once. Discord takes two attempts with the same nonce as one, but only within some minutes, and it
 * stores no nonce with a message. So before another attempt, the bot's own messages are read. See ADR 87.
 */
import type { REST } from '@discordjs/rest'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { PAGE, type PlaceId, type Post } from '../chat/port.ts'
import { toChatError } from './faults.ts'
import { idOf, ownMessagesOf, snowflakeAt, timeOf } from './incoming.ts'
import { messageBody } from './payloads.ts'

/** Posts that are remembered, of all places. The one whose last attempt is the oldest is forgotten first. */
export const POSTS_REMEMBERED_MAX = 1000
/** How much earlier than its first attempt a message may seem to be, in milliseconds. */
const CLOCK_SKEW_MS = SECOND_MS

interface Attempt {
  /** The time of the first attempt by this server's clock, in milliseconds since 1970. */
  readonly since: number
  /** Null: it is unknown whether Discord took the post. */
  readonly messageId: string | null
}

interface Deps {
  /** Calls the API. Rejects with a `ChatError`. */
  readonly call: (act: (rest: REST) => Promise<unknown>) => Promise<unknown>
  /** The id of the bot as a user. */
  readonly botId: () => string
}

export class Posts {
  readonly #deps: Deps
  /** By key. */
  readonly #attempts = new Map<string, Attempt>()
  /** How far Discord's clock is ahead of this server's, by the last answered post. It is this at least, in milliseconds. */
  #aheadMs = 0
  /** The last post of each place that posts now. */
  readonly #last = new Map<PlaceId, Promise<string>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The id of the message. In one place, the next post waits for the end of this one, so that it sees its message. */
  async post(placeId: PlaceId, post: Post, key: string): Promise<string> {
    const posted = this.#after(this.#last.get(placeId), () => this.#once(placeId, post, key))
    this.#last.set(placeId, posted)
    try {
      return await posted
    } finally {
      if (this.#last.get(placeId) === posted) this.#last.delete(placeId)
    }
  }

  async #after(earlier: Promise<string> | undefined, act: () => Promise<string>): Promise<string> {
    // Its own caller hears of its failure.
    await earlier?.catch(() => undefined)
    return act()
  }

  async #once(placeId: PlaceId, post: Post, key: string): Promise<string> {
    const earlier = this.#attempts.get(key)
    if (earlier && earlier.messageId !== null) return earlier.messageId
    const since = earlier?.since ?? Date.now()
    try {
      const found = earlier ? await this.#find(placeId, post, since) : null
      const messageId = found ?? (await this.#send(placeId, post, key))
      this.#remember(key, { since, messageId })
      return messageId
    } catch (error) {
      const failure = toChatError(error)
      if (earlier || failure.fault === 'unreachable') this.#remember(key, { since, messageId: null })
      throw failure
    }
  }

  /** The message of an earlier attempt: a message of the bot with this text that is not the message of another post. */
  async #find(placeId: PlaceId, { content }: Post, since: number): Promise<string | null> {
    const { call, botId } = this.#deps
    const query = new URLSearchParams({
      after: snowflakeAt(since + this.#aheadMs - CLOCK_SKEW_MS),
      limit: String(PAGE),
    })
    const own = ownMessagesOf(await call((rest) => rest.get(`/channels/${placeId}/messages`, { query })), botId())
    const known = new Set([...this.#attempts.values()].map(({ messageId }) => messageId))
    // Discord removes white space around a text.
    return own.find(({ id, text }) => text.trim() === content.trim() && !known.has(id))?.id ?? null
  }

  async #send(placeId: PlaceId, post: Post, key: string): Promise<string> {
    const { file } = post
    const files = file && [{ name: file.name, data: Buffer.from(file.text), contentType: 'text/plain; charset=utf-8' }]
    const body = { ...messageBody(post), nonce: key, enforce_nonce: true }
    const path = `/channels/${placeId}/messages` as const
    const id = idOf(await this.#deps.call((rest) => rest.post(path, { body, ...(files && { files }) })))
    this.#aheadMs = timeOf(id) - Date.now()
    return id
  }

  #remember(key: string, attempt: Attempt): void {
    this.#attempts.delete(key)
    this.#attempts.set(key, attempt)
    const [oldest] = this.#attempts.keys()
    if (oldest !== undefined && this.#attempts.size > POSTS_REMEMBERED_MAX) this.#attempts.delete(oldest)
  }
}
