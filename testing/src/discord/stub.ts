/** A Discord for tests: the parts of its REST API and its gateway that a bot with threads needs, on the machine itself. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../until.ts'
import { Channels, type Component, type Message, Refusal, type User } from './channels.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { Limits } from './limits.ts'

export type { Message, User } from './channels.ts'

/** A token with the form of a real one. */
export const BOT_TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GtEsTs.canary-of-a-discord-token-0000000000'

/** What a command, a button or a form got back. */
export interface Reply {
  /** Kinds of callbacks, in their order. */
  readonly kinds: number[]
  /** Texts that only the account sees. */
  readonly texts: string[]
  /** The form that was opened; null: none. */
  form: { readonly custom_id: string; readonly components: readonly { readonly component: Component }[] } | null
}

/** A request to the API. */
export interface Requested {
  readonly method: string
  readonly path: string
}

interface Body {
  readonly json: Readonly<Record<string, unknown>>
  readonly files: Message['files']
}

/** What a test breaks. */
interface Faults {
  /** All requests get 503. `unheard`: nothing else happens. `unanswered`: Discord does what they ask for. Null: none. */
  outage: 'unheard' | 'unanswered' | null
}

export interface Discord {
  /** For `SLIPWAY_DISCORD_API`. */
  readonly api: string
  readonly channels: Channels
  readonly gateway: Gateway
  readonly requests: readonly Requested[]
  /** The commands that the bot offers. */
  readonly commands: readonly { readonly name: string }[]
  readonly limits: Limits
  readonly faults: Faults
  /** An account writes. */
  say(channelId: string, author: User, content: string): Message
  /** An account changes its message. */
  edit(message: Message, content: string): void
  /** Deletes messages of one channel: several of them at once, as a bot of moderators does. */
  delete(message: Message, ...others: readonly Message[]): void
  command(
    channelId: string,
    user: User,
    name: string,
    options: Readonly<Record<string, string | number | boolean>>,
  ): Promise<Reply>
  /** Presses the button with this label below a message. Resolves when it is answered. */
  press(message: Message, user: User, label: string): Promise<Reply>
  submit(channelId: string, user: User, formId: string, values: Readonly<Record<string, string>>): Promise<Reply>
  close(): Promise<void>
}

/** On a free port. */
export const startDiscord = async (): Promise<Discord> => {
  const channels = new Channels()
  const bot: User = { id: channels.newId(), username: 'slipway', bot: true }
  const server = createServer()
  const gateway = startGateway(server, { token: BOT_TOKEN, applicationId: bot.id })
  const requests: Requested[] = []
  const replies = new Map<string, Reply>()
  const commands: { name: string }[] = []
  const limits = new Limits()
  const faults: Faults = { outage: null }

  const answer = (method: string, path: string, query: URLSearchParams, { json, files }: Body): unknown => {
    const [, root, id = '', part, messageId = '', sub, emoji = ''] = path.split('/')
    if (path === '/gateway/bot') {
      const limits = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 }
      return { url: gateway.url(), shards: 1, session_start_limit: limits }
    }
    if (root === 'applications') {
      commands.splice(0, commands.length, ...(json as unknown as { name: string }[]))
      return json
    }
    if (root === 'interactions') return called(replies.get(part ?? ''), json)
    if (root === 'webhooks') return followed(replies.get(part ?? ''), json)
    if (root !== 'channels') throw new Refusal(404, 0, '404: Not Found')
    if (part === undefined && method === 'PATCH' && json['archived'] === false) {
      channels.reopen(id)
      return { id, type: 11 }
    }
    if (part === 'typing') return void channels.in(id)
    if (part !== 'messages') throw new Refusal(404, 0, '404: Not Found')
    if (messageId === '' && method === 'GET')
      return channels.after(id, query.get('after') ?? '0', Number(query.get('limit') ?? 50))
    if (messageId === '') return channels.post(id, bot, { ...json, files }, json['enforce_nonce'] === true)
    if (sub === 'threads') return { id: channels.openThread(id, messageId, String(json['name'])), type: 11 }
    if (sub === 'reactions') return react(channels.changeable(id, messageId), method, decodeURIComponent(emoji))
    if (method === 'PATCH') return channels.edit(id, messageId, json)
    return channels.malformed.has(messageId) ? {} : channels.message(id, messageId)
  }

  const handle = async (
    request: IncomingMessage,
  ): Promise<{ status: number; body: unknown; headers?: Readonly<Record<string, string>> }> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const path = url.pathname.replace('/api/v10', '')
    const body = await bodyOf(request)
    requests.push({ method: request.method ?? '', path })
    const isOpen = path.startsWith('/interactions/') || path.startsWith('/webhooks/')
    if (!isOpen && request.headers.authorization !== `Bot ${BOT_TOKEN}`)
      return { status: 401, body: { message: '401: Unauthorized', code: 0 } }
    const { headers, refusal } = limits.look(request.method ?? '', path)
    if (refusal) return { status: 429, body: refusal, headers }
    const broken = { status: 503, body: null }
    if (faults.outage === 'unheard') return broken
    try {
      const found = answer(request.method ?? '', path, url.searchParams, body)
      if (faults.outage === 'unanswered') return broken
      const isEmpty = found === undefined || found === null
      return isEmpty ? { status: 204, body: null, headers } : { status: 200, body: found, headers }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: { message: error.message, code: error.code }, headers }
    }
  }
  server.on('request', (request, response) => {
    void handle(request).then(
      ({ status, body, headers }) => {
        response.writeHead(status, { ...(body !== null && { 'content-type': 'application/json' }), ...headers })
        response.end(body === null ? undefined : JSON.stringify(body))
      },
      (error: unknown) => {
        // The bot ended while it wrote.
        if (!request.destroyed) throw error
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  /** Tells the bot of an interaction, and waits until it is answered. */
  const interact = async (type: number, channelId: string, user: User, data: object): Promise<Reply> => {
    const token = `token-${channels.newId()}`
    const reply: Reply = { kinds: [], texts: [], form: null }
    replies.set(token, reply)
    const of = { id: channels.newId(), application_id: bot.id, token, version: 1, guild_id: '1', channel_id: channelId }
    gateway.dispatch('INTERACTION_CREATE', { ...of, type, data, member: { user } })
    // Of a button that is only accepted, the message of the question tells the rest.
    await until('an answer of the bot', () => reply.texts.length > 0 || reply.form !== null || reply.kinds.includes(6))
    return reply
  }

  return {
    ...{ channels, gateway, requests, commands, limits, faults },
    api: `http://127.0.0.1:${port}/api`,
    say: (channelId, author, content) => {
      const message = channels.post(channelId, author, { content })
      gateway.dispatch('MESSAGE_CREATE', message)
      return message
    },
    edit: (message, content) => {
      channels.edit(message.channel_id, message.id, { content })
      gateway.dispatch('MESSAGE_UPDATE', message)
    },
    delete: ({ id, channel_id }, ...others) => {
      const ids = [id, ...others.map((other) => other.id)]
      for (const one of ids) channels.remove(channel_id, one)
      const of = { channel_id, guild_id: '1' }
      if (others.length === 0) gateway.dispatch('MESSAGE_DELETE', { id, ...of })
      else gateway.dispatch('MESSAGE_DELETE_BULK', { ids, ...of })
    },
    command: (channelId, user, name, options) => {
      const given = Object.entries(options).map(([option, value]) => ({
        ...{ name: option, value },
        type: { string: 3, number: 4, boolean: 5 }[typeof value as 'string' | 'number' | 'boolean'],
      }))
      return interact(2, channelId, user, { id: '1', name, type: 1, options: given })
    },
    press: (message, user, label) => {
      const buttons = message.components.flatMap(({ components }) => components ?? [])
      const button = buttons.find((one) => one.label === label)
      if (!button) throw new Error(`no button ${label} below: ${message.content}`)
      return interact(3, message.channel_id, user, { component_type: 2, custom_id: button.custom_id })
    },
    submit: (channelId, user, formId, values) => {
      const components = Object.entries(values).map(([id, value]) => ({
        type: 18,
        component: { type: 4, custom_id: id, value },
      }))
      return interact(5, channelId, user, { custom_id: formId, components })
    },
    close: async () => {
      gateway.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const called = (reply: Reply | undefined, { type, data }: Body['json']): null => {
  if (!reply) throw new Refusal(404, 10_062, 'Unknown interaction')
  if (reply.kinds.length > 0) throw new Refusal(400, 40_060, 'Interaction has already been acknowledged')
  reply.kinds.push(Number(type))
  if (type === 4) reply.texts.push((data as { content: string }).content)
  if (type === 9) reply.form = data as NonNullable<Reply['form']>
  return null
}

const followed = (reply: Reply | undefined, { content }: Body['json']): object => {
  if (!reply || reply.kinds.length === 0) throw new Refusal(404, 10_015, 'Unknown Webhook')
  reply.texts.push(String(content))
  return { id: '1', content }
}

const react = ({ reactions }: Message, method: string, emoji: string): null => {
  const at = reactions.indexOf(emoji)
  if (method === 'PUT' && at < 0) reactions.push(emoji)
  if (method === 'DELETE' && at >= 0) reactions.splice(at, 1)
  return null
}

/** JSON, or a form with files and the JSON as a part of it. */
const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const bytes = Buffer.concat(parts)
  const type = request.headers['content-type'] ?? ''
  if (bytes.length === 0) return { json: {}, files: [] }
  if (!type.startsWith('multipart/')) return { json: JSON.parse(bytes.toString()) as Body['json'], files: [] }
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1] ?? ''
  const sections = bytes.toString('latin1').split(`--${boundary}`).slice(1, -1)
  const fields = sections.map((section) => {
    const [head = '', ...rest] = section.split('\r\n\r\n')
    const text = Buffer.from(rest.join('\r\n\r\n').slice(0, -2), 'latin1').toString()
    return { field: / name="([^"]*)"/.exec(head)?.[1], name: /filename="([^"]*)"/.exec(head)?.[1] ?? '', text }
  })
  const json = JSON.parse(fields.find(({ field }) => field === 'payload_json')?.text ?? '{}') as Body['json']
  return { json, files: fields.flatMap(({ name, text }) => (name === '' ? [] : { name, text })) }
}
