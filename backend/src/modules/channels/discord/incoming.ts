/** What Discord sends, read with care: only what has the expected form counts. Pure. */
import type { Account, RemoteMessage } from '../chat/port.ts'

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const textIn = (of: Json, name: string): string => {
  const value = of[name]
  return typeof value === 'string' ? value : ''
}
const listIn = (of: Json, name: string): Json[] => {
  const value = of[name]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** An id of Discord: the time in its upper bits, so larger ones are newer. */
export const SNOWFLAKE = /^\d{15,20}$/
/** The time 0 of these ids, in milliseconds since 1970. */
const EPOCH = 1_420_070_400_000

/** The smallest id of a time, in milliseconds since 1970. */
export const snowflakeAt = (time: number): string => String(BigInt(Math.max(0, time - EPOCH)) << 22n)

/** The time of an id, in milliseconds since 1970. */
export const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + EPOCH

/** Kinds of messages that people write: an ordinary one and a reply. */
const WRITTEN = new Set<unknown>([0, 19])

const accountOf = (user: unknown): Account | null => {
  if (!isRecord(user) || !SNOWFLAKE.test(textIn(user, 'id'))) return null
  return { id: textIn(user, 'id'), name: textIn(user, 'username').slice(0, 100) }
}

/** Null if it is no message. */
export const messageOf = (value: unknown): RemoteMessage | null => {
  if (!isRecord(value) || !SNOWFLAKE.test(textIn(value, 'id'))) return null
  const { author, type, webhook_id: webhook } = value
  const isPerson = isRecord(author) && author['bot'] !== true && webhook === undefined && WRITTEN.has(type)
  const edited = Date.parse(textIn(value, 'edited_timestamp'))
  return {
    ...{ id: textIn(value, 'id'), text: textIn(value, 'content') },
    author: isPerson ? accountOf(author) : null,
    editedAt: Number.isNaN(edited) ? null : new Date(edited),
  }
}

/** The messages of an answer, oldest first. */
export const messagesOf = (value: unknown): RemoteMessage[] => {
  const found = Array.isArray(value) ? value.map(messageOf).filter((message) => message !== null) : []
  return found.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
}

/** Those of a bot, oldest first. */
export const ownMessagesOf = (value: unknown, botId: string): RemoteMessage[] => {
  const isOwn = (message: unknown): boolean =>
    isRecord(message) && isRecord(message['author']) && message['author']['id'] === botId
  return messagesOf(Array.isArray(value) ? value.filter(isOwn) : [])
}

/** The id of a new message. Throws without one. */
export const idOf = (message: unknown): string => {
  const id = isRecord(message) ? textIn(message, 'id') : ''
  if (!SNOWFLAKE.test(id)) throw new Error('Discord answered without an id')
  return id
}

/** A command, a button or a form. */
export interface Interaction {
  readonly kind: 'command' | 'press' | 'submission'
  readonly id: string
  readonly token: string
  readonly placeId: string
  readonly account: Account
  /** The name of the command, or the id of the button or the form. */
  readonly name: string
  /** Options of the command, or values of the form. A switch is `true` or `false`. */
  readonly values: ReadonlyMap<string, string>
}

const KINDS = new Map<unknown, Interaction['kind']>([
  [2, 'command'],
  [3, 'press'],
  [5, 'submission'],
])
/** Most components of a form that are looked at. */
const COMPONENTS_MAX = 25

/** Null if it is nothing that the bot offers. */
export const interactionOf = (value: Json): Interaction | null => {
  const { member, user, data, type } = value
  const kind = KINDS.get(type)
  const account = accountOf(isRecord(member) ? member['user'] : user)
  const of = { id: textIn(value, 'id'), token: textIn(value, 'token'), placeId: textIn(value, 'channel_id') }
  if (!kind || !account || !isRecord(data) || !SNOWFLAKE.test(of.id) || !/^[\w-]{1,500}$/.test(of.token)) return null
  const name = textIn(data, kind === 'command' ? 'name' : 'custom_id')
  const pairs = kind === 'command' ? listIn(data, 'options').map(optionOf) : fieldsOf(listIn(data, 'components'))
  return { ...of, kind, account, name, values: new Map(pairs) }
}

const optionOf = (option: Json): [string, string] => {
  const { value } = option
  return [
    textIn(option, 'name'),
    typeof value === 'boolean' || typeof value === 'number' ? String(value) : textIn(option, 'value'),
  ]
}

/** The fields of a form, which are in labels or in rows. */
const fieldsOf = (components: readonly Json[]): [string, string][] =>
  components.slice(0, COMPONENTS_MAX).flatMap((component) => {
    const { component: labelled } = component
    const fields = isRecord(labelled) ? [labelled] : listIn(component, 'components')
    return fields.map((field): [string, string] => [textIn(field, 'custom_id'), textIn(field, 'value')])
  })
