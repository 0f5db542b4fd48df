/** The options of the commands that follow a task. */
import { usage } from '../api/errors.ts'
import { type Options, type Values, wholeNumber } from '../arguments/command.ts'

export const UIS = ['tty', 'rpc', 'debug', 'headless'] as const
export type UiName = (typeof UIS)[number]

export const followOptions = {
  follow: { type: 'boolean', short: 'f', about: 'Show what the task does, until its end' },
  json: { type: 'boolean', about: 'One JSON value in each line' },
  diff: { type: 'boolean', about: 'Show what the task has changed, at its end' },
  ui: { type: 'string', value: 'NAME', about: 'How to show the questions of the task', values: UIS },
  'ui-timeout': {
    type: 'string',
    value: 'SECONDS',
    about: 'Longest wait for an answer, with rpc and debug; 30 by default',
  },
} as const satisfies Options

export interface FollowSettings {
  /** Undefined: prompts in the terminal if there is one, and otherwise nothing is asked here. */
  readonly ui: UiName | undefined
  readonly uiTimeoutMs: number | undefined
  readonly isJson: boolean
  readonly hasDiff: boolean
}

/** Longest time for an answer in seconds: a day. */
const UI_TIMEOUT_SECONDS_MAX = 86_400

/** Null: the task is not followed. A diff and a UI need its end. */
export const followSettings = (options: Values<typeof followOptions>): FollowSettings | null => {
  const ui = UIS.find((name) => name === options.ui)
  const seconds = wholeNumber('ui-timeout', options['ui-timeout'])
  if (seconds !== undefined && ui !== 'rpc' && ui !== 'debug') throw usage('--ui-timeout needs --ui rpc or --ui debug.')
  if (seconds === 0 || (seconds ?? 0) > UI_TIMEOUT_SECONDS_MAX)
    throw usage(`--ui-timeout takes 1 to ${UI_TIMEOUT_SECONDS_MAX} seconds.`)
  if (options.follow !== true && options.diff !== true && ui === undefined) return null
  return {
    ui,
    uiTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    isJson: options.json === true,
    hasDiff: options.diff === true,
  }
}
