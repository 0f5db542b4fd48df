/** Reads preferences that another version of this program may have stored. */
import { type ChangePreferences, DEFAULT_PREFERENCES, type Preferences, TerminalPreferences } from '@slipway/protocol'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'

/**
 * Each field that fits today's schema, and the default for every other field. An older version lacks fields, and a
 * newer one may have stored unknown values.
 */
export function readPreferences(stored: unknown): Preferences {
  const terminal = (stored as { terminal?: Record<string, unknown> } | null)?.terminal ?? {}
  const schemas: Readonly<Record<string, TSchema>> = TerminalPreferences.properties
  const fields = Object.entries(DEFAULT_PREFERENCES.terminal).map(([name, fallback]) => {
    const value = terminal[name]
    return [name, Value.Check(schemas[name]!, value) ? value : fallback]
  })
  return { terminal: Object.fromEntries(fields) as TerminalPreferences }
}

/**
 * The preferences after a change. A page of another version may have sent it, so fields that this version does not know
 * are dropped.
 */
export const changedPreferences = (kept: Preferences, changes: ChangePreferences): Preferences =>
  readPreferences({ terminal: { ...kept.terminal, ...changes.terminal } })
