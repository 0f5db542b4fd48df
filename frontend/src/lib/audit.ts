import { AUDIT_ACTIONS, type AuditEvent } from '@slipway/protocol'
import { dayName } from './format/time.ts'
import { isRecord } from './isRecord.ts'

/** The filters of a request to the server; a missing field does not filter. Times are in ISO 8601. */
export interface AuditFilters {
  actor?: string
  action?: string
  target?: string
  from?: string
  to?: string
}

/** The filters in the page's address. It holds days; the server needs times. */
export interface AuditQuery {
  actor?: string
  action?: string
  target?: string
  /** The first and the last day, as `2026-01-31`. */
  from?: string
  to?: string
}

/** The events of one day in the reader's time zone, in the order of the list. */
export interface AuditDay {
  readonly name: string
  readonly events: readonly AuditEvent[]
}

/** Splits a sorted list of events by day. `now` decides which days are called "Today" and "Yesterday". */
export function daysOf(events: readonly AuditEvent[], now: number): AuditDay[] {
  return [...Map.groupBy(events, ({ at }) => dayName(at, now))].map(([name, those]) => ({ name, events: those }))
}

const GROUPS: Record<string, string> = {
  login: 'Sign-in attempts',
  sign_in: 'Sign-ins',
  setup: 'Set-up',
  user: 'Users',
  token: 'API tokens',
  ssh_key: 'SSH keys',
  share: 'Sharing',
  agent: 'Agents',
  process: 'Processes',
  terminal: 'Terminals',
  exec: 'Programs',
  ssh: 'SSH',
  audit: 'The audit log',
}

const groupOf = (action: string): string => action.split('.', 1)[0] ?? action
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The choices of the action filter: each group first, then its actions. */
export const ACTION_CHOICES: readonly { label: string; value: string; group: boolean }[] = [
  ...new Set(Object.keys(AUDIT_ACTIONS).map(groupOf)),
].flatMap((group) => [
  { label: GROUPS[group] ?? upperFirst(group), value: group, group: true },
  ...Object.entries(AUDIT_ACTIONS)
    .filter(([action]) => groupOf(action) === group)
    .map(([value, { says }]) => ({ label: upperFirst(says), value, group: false })),
])

/** The text for an action that follows the actor's name. An action of another version keeps its name. */
export const saysOf = (action: string): string =>
  (AUDIT_ACTIONS as Record<string, { says: string } | undefined>)[action]?.says ?? action

/** Label of the actor. */
export function actorOf({ actor }: AuditEvent): string {
  if (actor.email !== null) return actor.email
  return actor.via === 'platform' ? 'Slipway' : 'Unknown user'
}

/** Label of the target. Null if it is the actor. */
export function targetOf({ actor, target }: AuditEvent): string | null {
  const name = target?.name ?? null
  return name === actor.email ? null : name
}

/** One changed field. Values of secrets are not recorded, so a secret has only the kind of change. */
export interface ChangeRow {
  field: string
  before: string | null
  after: string | null
  secret: string | null
}

/** Formats a value for the reader. */
export function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(show).join(', ')
  if (isRecord(value))
    return (
      Object.entries(value)
        .map(([key, item]) => `${key}: ${show(item)}`)
        .join(', ') || '–'
    )
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The changed fields, with their values before and after. */
export const changesOf = ({ detail }: AuditEvent): ChangeRow[] =>
  Object.entries(isRecord(detail['changes']) ? detail['changes'] : {}).map(([field, change]) => {
    const sides = isRecord(change) ? change : {}
    return {
      field: wordsOf(field),
      before: 'before' in sides ? show(sides['before']) : null,
      after: 'after' in sides ? show(sides['after']) : null,
      secret: secretOf(sides['secret']),
    }
  })

/** Entries of earlier versions say `true`, without the kind of change. */
const secretOf = (what: unknown): string | null => (typeof what === 'string' ? what : what === true ? 'changed' : null)

/** All other recorded details. */
export const factsOf = ({ detail }: AuditEvent): [name: string, value: string][] =>
  Object.entries(detail)
    .filter(([name, value]) => name !== 'changes' && value !== null)
    .map(([name, value]) => [wordsOf(name), show(value)])

/** `skipPermissions` as "skip permissions". */
const wordsOf = (name: string): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()

/** The filters for the server. Days become times in the reader's time zone; the last day counts up to its end. */
export function filtersOf({ from, to, ...rest }: AuditQuery): AuditFilters {
  const start = from === undefined ? null : dayStart(from, 0)
  const end = to === undefined ? null : dayStart(to, 1)
  return { ...rest, ...(start !== null && { from: start }), ...(end !== null && { to: end }) }
}

function dayStart(day: string, plusDays: number): string | null {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year ?? Number.NaN, (month ?? 0) - 1, (date ?? 0) + plusDays)
  return Number.isNaN(start.getTime()) ? null : start.toISOString()
}
