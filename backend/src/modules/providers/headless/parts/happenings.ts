/** Events that several drivers make. */
import type { ModelUsage, RunHappening } from '@slipway/protocol'
import { bounded, textIn } from './json.ts'

/** What the model says or thinks; nothing for an empty text, and for anything else. */
export const said = (type: 'text' | 'thinking', value: unknown): RunHappening[] => {
  const text = bounded(textIn(value) ?? '')
  return text === '' ? [] : [{ type, text }]
}

/** What the models have used; nothing if the CLI does not tell. */
export const used = (models: readonly ModelUsage[]): RunHappening[] =>
  models.length === 0 ? [] : [{ type: 'usage', models: [...models] }]

/** A command of a shell that starts. */
export const commandStarted = (callId: string | null, command: string): RunHappening => ({
  type: 'command',
  callId,
  command,
  state: 'started',
  exitCode: null,
  output: '',
})

/** A command of a shell that has ended. */
export const commandEnded = (
  callId: string | null,
  command: string,
  exitCode: number | null,
  output: string,
): RunHappening => ({ type: 'command', callId, command, state: 'ended', exitCode, output: bounded(output) })
