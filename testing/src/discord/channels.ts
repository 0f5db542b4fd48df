/** Channels, threads and messages of a Discord for tests, with the errors that it documents. */

/** An account. */
export interface User {
  readonly id: string
  readonly username: string
  readonly bot?: boolean
}

export interface Component {
  readonly custom_id?: string
  readonly label?: string
  readonly components?: readonly Component[]
}

/** A message as the API answers it, with what only the test sees. */
export interface Message {
  readonly id: string
  readonly channel_id: string
  readonly type: number
  readonly author: User
  content: string
  components: readonly Component[]
  readonly flags: number
  readonly allowed_mentions: unknown
  readonly nonce: string | null
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly reactions: string[]
  edited_timestamp: string | null
}

/** What it answers in place of a message. */
export class Refusal extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const CONTENT_MAX = 2000
const EPOCH = 1_420_070_400_000n

export class Channels {
  readonly #messages = new Map<string, Message[]>()
  /** Titles of threads. */
  readonly threads = new Map<string, string>()
  /** Channels in which the bot may not read (50001), and in which it may not write (50013). */
  readonly hidden = new Set<string>()
  readonly closed = new Set<string>()
  /** Archived threads: a message opens one again, and so does the bot. Locked ones take no message and stay archived. */
  readonly archived = new Set<string>()
  readonly locked = new Set<string>()
  /** Messages that it answers without their fields. */
  readonly malformed = new Set<string>()
  /** Ids of messages by author and nonce. */
  readonly #nonces = new Map<string, string>()
  #count = 0n

  /** A new id: the time, then a number. */
  newId(): string {
    this.#count += 1n
    return String(((BigInt(Date.now()) - EPOCH) << 22n) + this.#count)
  }

  add(id = this.newId()): string {
    this.#messages.set(id, [])
    return id
  }

  delete(id: string): void {
    this.#messages.delete(id)
  }

  remove(channelId: string, id: string): void {
    const messages = this.in(channelId)
    messages.splice(messages.indexOf(this.message(channelId, id)), 1)
  }

  /** As Discord does after some minutes. */
  forgetNonces(): void {
    this.#nonces.clear()
  }

  /** Oldest first. */
  in(channelId: string): Message[] {
    const found = this.#messages.get(channelId)
    if (!found) throw new Refusal(404, 10_003, 'Unknown Channel')
    if (this.hidden.has(channelId)) throw new Refusal(403, 50_001, 'Missing Access')
    return found
  }

  message(channelId: string, id: string): Message {
    const found = this.in(channelId).find((one) => one.id === id)
    if (!found) throw new Refusal(404, 10_008, 'Unknown Message')
    return found
  }

  /** A message that may be edited and reacted to now. */
  changeable(channelId: string, id: string): Message {
    const found = this.message(channelId, id)
    if (this.archived.has(channelId)) throw new Refusal(400, 50_083, 'Thread is archived')
    return found
  }

  /** Opens an archived thread. */
  reopen(channelId: string): void {
    this.in(channelId)
    if (this.locked.has(channelId)) throw new Refusal(403, 50_013, 'Missing Permissions')
    this.archived.delete(channelId)
  }

  post(channelId: string, author: User, body: Partial<Message>, isUnique = false): Message {
    const messages = this.in(channelId)
    if (this.closed.has(channelId)) throw new Refusal(403, 50_013, 'Missing Permissions')
    if (this.locked.has(channelId)) throw new Refusal(403, 160_005, 'Thread is locked')
    const { content = '', nonce = null, components = [], files = [], flags = 0, allowed_mentions = null } = body
    check(content, components, files.length)
    const unique = isUnique && nonce !== null ? `${author.id} ${nonce}` : null
    const earlier = unique === null ? undefined : this.#nonces.get(unique)
    // One that was deleted meanwhile is not made again.
    if (earlier !== undefined) return this.message(channelId, earlier)
    const of = { id: this.newId(), channel_id: channelId, type: 0, author, reactions: [], edited_timestamp: null }
    const message = { ...of, content: content.trim(), nonce, components, files, flags, allowed_mentions }
    messages.push(message)
    if (unique !== null) this.#nonces.set(unique, message.id)
    this.archived.delete(channelId)
    return message
  }

  edit(channelId: string, id: string, body: Partial<Message>): Message {
    const message = this.changeable(channelId, id)
    check(body.content ?? message.content, body.components ?? [], 0)
    if (body.content !== undefined) message.content = body.content
    if (body.components) message.components = body.components
    message.edited_timestamp = new Date().toISOString()
    return message
  }

  openThread(channelId: string, id: string, name: string): string {
    this.message(channelId, id)
    if (this.threads.has(id)) throw new Refusal(400, 160_004, 'A thread has already been created for this message')
    if (name.length < 1 || name.length > 100) throw invalid()
    this.threads.set(id, name)
    return this.add(id)
  }

  after(channelId: string, after: string, limit: number): Message[] {
    const newer = this.in(channelId).filter(({ id }) => BigInt(id) > BigInt(after))
    return newer.slice(0, limit).toReversed()
  }
}

const invalid = (): Refusal => new Refusal(400, 50_035, 'Invalid Form Body')

const check = (content: string, rows: readonly Component[], files: number): void => {
  if (content.length > CONTENT_MAX || rows.length > 5) throw invalid()
  const buttons = rows.flatMap(({ components }) => components ?? [])
  const isWrong = ({ label = '', custom_id: id = '' }: Component): boolean =>
    label.length < 1 || label.length > 80 || id.length < 1 || id.length > 100
  if (rows.some(({ components }) => (components?.length ?? 0) > 5) || buttons.some(isWrong)) throw invalid()
  if (content.trim() === '' && files === 0) throw new Refusal(400, 50_006, 'Cannot send an empty message')
}
