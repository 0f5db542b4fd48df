import { STATE_NOT_KNOWN, type Agent, type AgentState } from '@slipway/protocol'

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

/** What the server tells of an agent's state. */
type Told = Pick<Agent, 'state' | 'reason'>

/** Whether the engine answers, so that the state that the server tells is the true one. */
export const isStateKnown = ({ reason }: Pick<Agent, 'reason'>): boolean => reason?.message !== STATE_NOT_KNOWN

/** The state in a word. */
export const stateWord = (agent: Told): string => (isStateKnown(agent) ? WORDS[agent.state] : 'Not known')

/** The state in a sentence, with the agent's name. */
export function stateSentence(agent: Told & Pick<Agent, 'name'>): string {
  if (!isStateKnown(agent)) return `The state of ${agent.name} is not known.`
  return `${agent.name} ${agent.state === 'failed' ? 'has failed' : `is ${WORDS[agent.state].toLowerCase()}`}.`
}

/** Whether the state will change to another one without the user. */
export const isPassing = (state: AgentState): boolean => SHAPES[state] === 'starting'
/** Whether a user can start it. */
export const canStart = (agent: Told): boolean =>
  isStateKnown(agent) && (agent.state === 'stopped' || agent.state === 'failed')

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
