/**
 * Discord, by the parts of discord.js that keep the session with the gateway and the queue of requests, which honours
 * rate limits. Its client is not used: it drops messages of threads that it has not cached. See ADR 87.
 */
import type { REST } from '@discordjs/rest'
import type { WebSocketManager } from '@discordjs/ws'
import { MINUTE_MS, SECOND_MS } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import {
  ChatError,
  type ChatListener,
  type ChatService,
  type Mark,
  PAGE,
  type PlaceId,
  type Post,
  type RemoteMessage,
} from '../chat/port.ts'
import { THREAD_EXISTS, toChatError, UNKNOWN_MESSAGE } from './faults.ts'
import { interactionOf, isRecord, type Json, messageOf, messagesOf, SNOWFLAKE, textIn } from './incoming.ts'
import { answerInteraction } from './interactions.ts'
import { COMMANDS, EMOJI, messageBody } from './payloads.ts'

/** What the environment says of Discord. */
export interface DiscordConfig {
  readonly token: string
  /** The root of its REST API, without a version. */
  readonly api: string
}

/** What the gateway tells: channels and threads, messages in them, and what these say (1 << 0, 1 << 9, 1 << 15). */
const INTENTS = 0x8201
/** Pauses between attempts to connect, in milliseconds: doubled up to the maximum. */
const PAUSE_MS = 5 * SECOND_MS
const PAUSE_MAX_MS = 5 * MINUTE_MS
/** A thread is archived by Discord after so many minutes without a message. It can be written to again. */
const ARCHIVE_MINUTES = 10_080
/** The message is gone; no permission to react; too many reactions; the author has blocked the bot. */
const UNMARKABLE = new Set<number | null>([UNKNOWN_MESSAGE, 50_013, 30_010, 90_001])
/** The token is not valid. */
const UNAUTHORIZED = 401

interface Deps {
  readonly config: DiscordConfig
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

export class Discord implements ChatService {
  readonly name = 'discord'
  readonly #deps: Deps
  #rest: REST | null = null
  #gateway: WebSocketManager | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  #applicationId = ''

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** It goes on in the background, so that a Discord that is down delays no start. */
  connect(listener: ChatListener): Promise<void> {
    void this.#open(listener, PAUSE_MS)
    return Promise.resolve()
  }

  /** Tries until Discord answers. From then on, the library reconnects by itself. */
  async #open(listener: ChatListener, pauseMs: number): Promise<void> {
    const { log } = this.#deps
    try {
      this.#gateway = await this.#newGateway(listener)
      await this.#gateway.connect()
    } catch (error) {
      if (this.#isClosed) return
      if ((error as { status?: unknown }).status === UNAUTHORIZED)
        return log.error({}, 'Discord refuses the token of the bot')
      log.warn({ reason: toChatError(error).message }, 'Discord could not be reached')
      this.#timer = setTimeout(() => void this.#open(listener, Math.min(2 * pauseMs, PAUSE_MAX_MS)), pauseMs)
      this.#timer.unref()
    }
  }

  async #newGateway(listener: ChatListener): Promise<WebSocketManager> {
    const { config, log } = this.#deps
    const { token, api } = config
    // A server without Discord loads no library.
    const [{ REST }, { WebSocketManager, WebSocketShardEvents }] = await Promise.all([
      import('@discordjs/rest'),
      import('@discordjs/ws'),
    ])
    const rest = new REST({ version: '10', api }).setToken(token)
    this.#rest = rest
    const gateway = new WebSocketManager({
      token,
      rest,
      // Its enum is in a package of types, which this one does not depend on.
      intents: INTENTS as never,
    })
    gateway.on(WebSocketShardEvents.Dispatch, ({ data }: { data: unknown }) => {
      if (isRecord(data) && isRecord(data['d'])) this.#heard(listener, rest, textIn(data, 't'), data['d'])
    })
    gateway.on(WebSocketShardEvents.Error, ({ error }) =>
      log.error(
        { reason: error.message },
        'the connection to Discord failed: check the token and the intents of the bot',
      ),
    )
    return gateway
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#gateway?.destroy()
  }

  #heard(listener: ChatListener, rest: REST, type: string, data: Json): void {
    const { log } = this.#deps
    switch (type) {
      case 'READY': {
        const { application } = data
        this.#applicationId = isRecord(application) ? textIn(application, 'id') : ''
        void this.#offerCommands(rest)
        return listener.connected()
      }
      case 'MESSAGE_CREATE':
        return listener.rang(textIn(data, 'channel_id'))
      case 'MESSAGE_UPDATE': {
        const message = messageOf(data)
        if (message) void listener.edited(textIn(data, 'channel_id'), message)
        return
      }
      case 'INTERACTION_CREATE': {
        const interaction = interactionOf(data)
        if (!interaction) return
        const deps = { rest, applicationId: this.#applicationId, listener }
        void answerInteraction(deps, interaction).catch((error: unknown) => {
          const { number, message } = toChatError(error)
          log.warn({ number, reason: message }, 'a command of Discord could not be answered')
        })
      }
    }
  }

  async #offerCommands(rest: REST): Promise<void> {
    const { log } = this.#deps
    try {
      await rest.put(`/applications/${this.#applicationId}/commands`, { body: COMMANDS })
      log.info('connected to Discord')
    } catch (error) {
      log.error({ reason: toChatError(error).message }, 'the commands could not be offered in Discord')
    }
  }

  async post(placeId: PlaceId, post: Post, key: string): Promise<string> {
    const { file } = post
    const files = file && [{ name: file.name, data: Buffer.from(file.text), contentType: 'text/plain; charset=utf-8' }]
    const body = { ...messageBody(post), nonce: key, enforce_nonce: true }
    const path = `/channels/${placeId}/messages` as const
    return idIn(await this.#call((rest) => rest.post(path, { body, ...(files && { files }) })))
  }

  async edit(placeId: PlaceId, messageId: string, post: Post): Promise<void> {
    const path = `/channels/${placeId}/messages/${messageId}` as const
    await this.#call((rest) => rest.patch(path, { body: messageBody(post) }), new Set([UNKNOWN_MESSAGE]))
  }

  async openThread(placeId: PlaceId, messageId: string, title: string): Promise<PlaceId> {
    const path = `/channels/${placeId}/messages/${messageId}/threads` as const
    const body = { name: title, auto_archive_duration: ARCHIVE_MINUTES }
    await this.#call((rest) => rest.post(path, { body }), new Set([THREAD_EXISTS]))
    // The thread of a message has its id.
    return messageId
  }

  async typing(placeId: PlaceId): Promise<void> {
    await this.#call((rest) => rest.post(`/channels/${placeId}/typing`))
  }

  async mark(placeId: PlaceId, messageId: string, mark: Mark, earlier: Mark | null): Promise<void> {
    const of = (one: Mark) =>
      `/channels/${placeId}/messages/${messageId}/reactions/${encodeURIComponent(EMOJI[one])}/@me` as const
    await this.#call((rest) => rest.put(of(mark)), UNMARKABLE)
    if (earlier !== null) await this.#call((rest) => rest.delete(of(earlier)), UNMARKABLE)
  }

  async after(placeId: PlaceId, messageId: string): Promise<RemoteMessage[]> {
    const query = new URLSearchParams({ after: messageId, limit: String(PAGE) })
    return messagesOf(await this.#call((rest) => rest.get(`/channels/${placeId}/messages`, { query })))
  }

  /** Answers of the API; null for an error that does not matter here. */
  async #call(
    act: (rest: REST) => Promise<unknown>,
    ignored: ReadonlySet<number | null> = new Set(),
  ): Promise<unknown> {
    try {
      if (!this.#rest) throw new ChatError('unreachable', null, 'Discord is not connected')
      return await act(this.#rest)
    } catch (error) {
      const fault = toChatError(error)
      if (ignored.has(fault.number)) return null
      throw fault
    }
  }
}

const idIn = (message: unknown): string => {
  const id = isRecord(message) ? textIn(message, 'id') : ''
  if (!SNOWFLAKE.test(id)) throw toChatError(new Error('Discord answered without an id'))
  return id
}
