/** The port to a chat service: what the platform needs of it. Discord is the first one. */
import type { DiscordAccount } from '@slipway/protocol'

/** Where messages go: a channel, or a thread in one. The service's own ids. */
export type PlaceId = string

/** A button below a message. Its id comes back when it is pressed; at most 100 characters. */
export interface ChatButton {
  readonly id: string
  readonly label: string
  readonly style: 'yes' | 'no' | 'plain'
}

/** A message of the platform. What it mentions notifies no account, and the service fetches no page for its links. */
export interface Post {
  readonly content: string
  readonly file?: { readonly name: string; readonly text: string } | undefined
  /** At most 25. An edit without them removes them. */
  readonly buttons?: readonly ChatButton[]
}

/** A text field of a form. */
export interface ChatField {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly isLong: boolean
  readonly isRequired: boolean
}

/** A form that opens over the page of the service; at most five fields. */
export interface ChatForm {
  readonly id: string
  readonly title: string
  readonly fields: readonly ChatField[]
}

/** What a reaction shows of a message. */
export const MARKS = ['queued', 'running', 'done', 'failed', 'locked'] as const
export type Mark = (typeof MARKS)[number]

/** An account of the service. */
export interface Account {
  readonly id: string
  readonly name: string
}

/** A message of the service. */
export interface RemoteMessage {
  readonly id: string
  readonly text: string
  /** Null: a program wrote it, or the service itself. */
  readonly author: Account | null
  /** Null: it was not changed. */
  readonly editedAt: Date | null
}

/** What an account asked for, with a way to answer that only this account sees. */
export interface Asked {
  /** The service's id of it: the same if it is told twice. */
  readonly id: string
  readonly account: Account
  /** The channel or the thread. */
  readonly placeId: PlaceId
  reply(text: string): Promise<void>
}

/** A command with its options. */
export interface Command extends Asked {
  readonly name: string
  readonly options: ReadonlyMap<string, string>
}

/** A button that was pressed. It is answered by {@link Asked.reply}, by a form, or by nothing. */
export interface Press extends Asked {
  readonly buttonId: string
  openForm(form: ChatForm): Promise<void>
  /** Needs no further answer. */
  accept(): Promise<void>
}

/** A form that was filled in. */
export interface Submission extends Asked {
  readonly formId: string
  readonly values: ReadonlyMap<string, string>
}

/** Hears of what happens in the service. No method rejects. */
export interface ChatListener {
  /** It is connected. What happened before may be unknown. */
  connected(): void
  /** There is something new in a place: a bell, and nothing more. Messages are read with {@link ChatService.after}. */
  rang(placeId: PlaceId): void
  /** A message of a place was edited or deleted: a bell, too. */
  changed(placeId: PlaceId): Promise<void>
  commanded(command: Command): Promise<void>
  pressed(press: Press): Promise<void>
  submitted(submission: Submission): Promise<void>
}

/** Why the service refuses the bot itself: its token is not valid, or it may not read what it asks to read. */
export type ChatRefusal = NonNullable<DiscordAccount['refusal']>

export interface ChatService {
  readonly name: 'discord'
  readonly isConnected: boolean
  /** Null: it is not refused. */
  readonly refusal: ChatRefusal | null
  /** Resolves when it tries to connect. It goes on trying until it is closed. */
  connect(listener: ChatListener): Promise<void>
  close(): Promise<void>
  /**
   * The id of the message. Two posts with the same key are one, unless the server restarts between them and some minutes
   * have passed. Rejects with a {@link ChatError}, as all below.
   */
  post(placeId: PlaceId, post: Post, key: string): Promise<string>
  edit(placeId: PlaceId, messageId: string, post: Post): Promise<void>
  /** Makes a thread of a message. A message that has one keeps it. */
  openThread(placeId: PlaceId, messageId: string, title: string): Promise<PlaceId>
  /** Shows for some seconds that the platform writes. */
  typing(placeId: PlaceId): Promise<void>
  /** Shows a mark at a message in place of an earlier one. */
  mark(placeId: PlaceId, messageId: string, mark: Mark, earlier: Mark | null): Promise<void>
  /** Null: the answer is not a message, so nothing is known of it. */
  message(placeId: PlaceId, messageId: string): Promise<RemoteMessage | 'deleted' | null>
  /** Messages after one, oldest first; at most {@link PAGE}. */
  after(placeId: PlaceId, messageId: string): Promise<RemoteMessage[]>
}

/** Most messages of one answer of {@link ChatService.after}. */
export const PAGE = 100

/**
 * Why the service refused: the message or the place is gone, the bot may not do it, the request was wrong, or the service
 * did not answer.
 */
export type ChatFault = 'gone' | 'forbidden' | 'invalid' | 'unreachable'

export class ChatError extends Error {
  override readonly name = 'ChatError'
  readonly fault: ChatFault
  /** The service's own number of the error; null without one. */
  readonly number: number | null

  constructor(fault: ChatFault, number: number | null, message: string) {
    super(message)
    this.fault = fault
    this.number = number
  }
}
