import type { AgentState } from '@slipway/protocol'

/** The five states a person sees, each with a colour and a shape of its own, the same everywhere. */
export type Shape = 'running' | 'starting' | 'stopped' | 'failed' | 'needs-you'

const SHAPES: Record<AgentState, Shape> = {
  creating: 'starting',
  starting: 'starting',
  stopping: 'starting',
  deleting: 'starting',
  running: 'running',
  stopped: 'stopped',
  failed: 'failed',
}

const WORDS: Record<AgentState, string> = {
  creating: 'Creating',
  starting: 'Starting',
  running: 'Running',
  stopping: 'Stopping',
  stopped: 'Stopped',
  failed: 'Failed',
  deleting: 'Deleting',
}

/** The shape's sign where only text can stand: the title of the tab. */
export const SHAPE_SIGN: Record<Shape, string> = {
  running: '●',
  starting: '◌',
  stopped: '○',
  failed: '■',
  'needs-you': '◆',
}

export const shapeOf = (state: AgentState): Shape => SHAPES[state]
export const stateWord = (state: AgentState): string => WORDS[state]

/** On its way from one state to the next, by itself. */
export const isPassing = (state: AgentState): boolean => SHAPES[state] === 'starting'
export const canStart = (state: AgentState): boolean => state === 'stopped' || state === 'failed'

/** What is being done while a person waits. */
export function passingText(state: AgentState): string {
  switch (state) {
    case 'creating':
      return 'Creating container and home'
    case 'starting':
      return 'Starting container'
    case 'stopping':
      return 'Stopping container'
    case 'deleting':
      return 'Deleting container and home'
    default:
      return WORDS[state]
  }
}
