/** Reads preferences that another version of this program may have stored. */
import {
  type ChangePreferences,
  DEFAULT_PREFERENCES,
  NotificationPreferences,
  type Preferences,
  TaskPreferences,
  TerminalPreferences,
} from '@slipway/protocol'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'

/**
 * Each field that fits today's schema, and the default for every other field. An older version lacks fields, and a
 * newer one may have stored unknown values.
 */
export function readPreferences(stored: unknown): Preferences {
  const { terminal, tasks, notifications } = (stored ?? {}) as Partial<Record<keyof Preferences, unknown>>
  return {
    terminal: read(TerminalPreferences.properties, terminal, DEFAULT_PREFERENCES.terminal),
    tasks: read(TaskPreferences.properties, tasks, DEFAULT_PREFERENCES.tasks),
    notifications: read(NotificationPreferences.properties, notifications, DEFAULT_PREFERENCES.notifications),
  }
}

const read = <T extends object>(schemas: Readonly<Record<string, TSchema>>, stored: unknown, defaults: T): T => {
  const found = (stored ?? {}) as Record<string, unknown>
  const fields = Object.entries(defaults).map(([name, fallback]: [string, unknown]) => {
    const value = found[name]
    return [name, Value.Check(schemas[name]!, value) ? value : fallback]
  })
  return Object.fromEntries(fields) as T
}

/**
 * The preferences after a change. A page of another version may have sent it, so fields that this version does not know
 * are dropped.
 */
export const changedPreferences = (kept: Preferences, changes: ChangePreferences): Preferences =>
  readPreferences({
    terminal: { ...kept.terminal, ...changes.terminal },
    tasks: { ...kept.tasks, ...changes.tasks },
    notifications: { ...kept.notifications, ...changes.notifications },
  })
