import type { AgentState } from '@slipway/protocol'

/** The five states that a user sees. Each has its own colour and shape, the same everywhere. */
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

/** A character for each shape, for the tab's title, which can only hold text. */
export const SHAPE_SIGN: Record<Shape, string> = {
  running: '●',
  starting: '◌',
  stopped: '○',
  failed: '■',
  'needs-you': '◆',
}

export const shapeOf = (state: AgentState): Shape => SHAPES[state]
export const stateWord = (state: AgentState): string => WORDS[state]

/** Whether the state will change to another one without the user. */
export const isPassing = (state: AgentState): boolean => SHAPES[state] === 'starting'
export const canStart = (state: AgentState): boolean => state === 'stopped' || state === 'failed'

/** What the platform is doing while the user waits. */
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
