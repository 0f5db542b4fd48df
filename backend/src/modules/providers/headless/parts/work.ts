/** Tells work from all else that happens. */
import type { RunHappening } from '@slipway/protocol'

const WORK: ReadonlySet<RunHappening['type']> = new Set([
  'text',
  'tool_call',
  'tool_result',
  'file_change',
  'command',
  'plan',
])

/** Whether the CLI said or did something. Thinking alone is no work. */
export const isWork = ({ type }: RunHappening): boolean => WORK.has(type)
