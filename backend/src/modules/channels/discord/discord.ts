/**
 * Discord, by the parts of discord.js that keep the session with the gateway and the queue of requests, which honours
 * rate limits. Its client is not used: it drops messages of threads that it has not cached. See ADR 87.
 */
import type { REST } from '@discordjs/rest'
import type { SessionInfo, WebSocketManager } from '@discordjs/ws'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import {
  ChatError,
  type ChatListener,
  type ChatRefusal,
  type ChatService,
  type Mark,
  PAGE,
  type PlaceId,
  type Post,
  type RemoteMessage,
} from '../chat/port.ts'
import {
  MISSING_PERMISSIONS,
  REFUSALS,
  REFUSED,
  THREAD_ARCHIVED,
  THREAD_EXISTS,
  THREAD_LOCKED,
  toChatError,
  UNAUTHORIZED,
  UNKNOWN_MESSAGE,
} from './faults.ts'
import { interactionOf, isRecord, type Json, messageOf, messagesOf, textIn } from './incoming.ts'
import { answerInteraction } from './interactions.ts'
import { COMMANDS, EMOJI, messageBody } from './payloads.ts'
import { Posts } from './posts.ts'

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
/** The message is gone; its thread stays archived. */
const UNCHANGEABLE = new Set<number | null>([UNKNOWN_MESSAGE, THREAD_ARCHIVED])
/** Or: no permission to react; too many reactions; the author has blocked the bot. */
const UNMARKABLE = new Set<number | null>([...UNCHANGEABLE, MISSING_PERMISSIONS, 30_010, 90_001])
/** The thread is locked, so the bot cannot open it. */
const UNOPENABLE = new Set<number | null>([MISSING_PERMISSIONS, THREAD_LOCKED])

interface Deps {
  readonly config: DiscordConfig
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Time before it tries again after its intents were refused, in milliseconds. */
  readonly refusedPauseMs?: number
}

export class Discord implements ChatService {
  readonly name = 'discord'
  readonly #deps: Deps
  #rest: REST | null = null
  #gateway: WebSocketManager | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  #isConnected = false
  /** The session of the gateway, to resume it. */
  #session: SessionInfo | null = null
  #refusal: ChatRefusal | null = null
  #applicationId = ''
  #botId = ''
  readonly #posts = new Posts({ call: (act) => this.#call(act), botId: () => this.#botId })

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  get refusal(): ChatRefusal | null {
    return this.#refusal
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
      if ((error as { status?: unknown }).status === UNAUTHORIZED) return this.#refused(listener, 'token')
      // The gateway has said why, and another attempt is planned or useless.
      if (this.#refusal === 'token' || this.#timer) return
      log.warn({ reason: toChatError(error).message }, 'Discord could not be reached')
      this.#openLater(listener, Math.min(2 * pauseMs, PAUSE_MAX_MS), pauseMs)
    }
  }

  #openLater(listener: ChatListener, nextPauseMs: number, afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      void this.#open(listener, nextPauseMs)
    }, afterMs)
    this.#timer.unref()
  }

  /** Only another token helps, which needs a restart. Intents are allowed in Discord, so it tries again. */
  #refused(listener: ChatListener, refusal: ChatRefusal): void {
    const { log, refusedPauseMs = PAUSE_MAX_MS } = this.#deps
    if (this.#isClosed) return
    if (this.#refusal !== refusal) log.error({}, REFUSED[refusal])
    this.#refusal = refusal
    if (refusal === 'intents') this.#openLater(listener, PAUSE_MS, refusedPauseMs)
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
      // The library's own store is one for all bots of a process.
      retrieveSessionInfo: () => this.#session,
      updateSessionInfo: (_shardId, session) => void (this.#session = session),
    })
    gateway.on(WebSocketShardEvents.Dispatch, ({ data }: { data: unknown }) => {
      if (isRecord(data) && isRecord(data['d'])) this.#heard(listener, rest, textIn(data, 't'), data['d'])
    })
    const connected = (): void => {
      this.#isConnected = true
      this.#refusal = null
    }
    gateway.on(WebSocketShardEvents.Ready, connected)
    gateway.on(WebSocketShardEvents.Resumed, connected)
    gateway.on(WebSocketShardEvents.Closed, ({ code }) => {
      this.#isConnected = false
      const refusal = REFUSALS.get(code)
      if (refusal) this.#refused(listener, refusal)
    })
    gateway.on(WebSocketShardEvents.Error, ({ error }) => {
      if (this.#refusal === null) log.error({ reason: error.message }, 'the connection to Discord failed')
    })
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
        const { application, user } = data
        this.#applicationId = isRecord(application) ? textIn(application, 'id') : ''
        this.#botId = isRecord(user) ? textIn(user, 'id') : ''
        void this.#offerCommands(rest)
        return listener.connected()
      }
      case 'MESSAGE_CREATE':
        return listener.rang(textIn(data, 'channel_id'))
      case 'MESSAGE_UPDATE':
        if (messageOf(data)?.author) void listener.changed(textIn(data, 'channel_id'))
        return
      case 'MESSAGE_DELETE':
      case 'MESSAGE_DELETE_BULK':
        return void listener.changed(textIn(data, 'channel_id'))
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
    return this.#posts.post(placeId, post, key)
  }

  async edit(placeId: PlaceId, messageId: string, post: Post): Promise<void> {
    const path = `/channels/${placeId}/messages/${messageId}` as const
    await this.#change(placeId, (rest) => rest.patch(path, { body: messageBody(post) }), UNCHANGEABLE)
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
    await this.#change(placeId, (rest) => rest.put(of(mark)), UNMARKABLE)
    if (earlier !== null) await this.#change(placeId, (rest) => rest.delete(of(earlier)), UNMARKABLE)
  }

  async message(placeId: PlaceId, messageId: string): Promise<RemoteMessage | 'deleted' | null> {
    const path = `/channels/${placeId}/messages/${messageId}` as const
    try {
      return messageOf(await this.#call((rest) => rest.get(path)))
    } catch (error) {
      if (toChatError(error).number === UNKNOWN_MESSAGE) return 'deleted'
      throw error
    }
  }

  async after(placeId: PlaceId, messageId: string): Promise<RemoteMessage[]> {
    const query = new URLSearchParams({ after: messageId, limit: String(PAGE) })
    return messagesOf(await this.#call((rest) => rest.get(`/channels/${placeId}/messages`, { query })))
  }

  /** Changes a message. An archived thread is opened for it. One that stays archived, because it is locked, is let be. */
  async #change(
    placeId: PlaceId,
    act: (rest: REST) => Promise<unknown>,
    ignored: ReadonlySet<number | null>,
  ): Promise<void> {
    try {
      await this.#call(act)
    } catch (error) {
      const { number } = toChatError(error)
      if (number !== THREAD_ARCHIVED) {
        if (ignored.has(number)) return
        throw error
      }
      const path = `/channels/${placeId}` as const
      const opened = await this.#call((rest) => rest.patch(path, { body: { archived: false } }), UNOPENABLE)
      if (opened !== null) await this.#call(act, ignored)
    }
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
