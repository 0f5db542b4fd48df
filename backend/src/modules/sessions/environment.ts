/** The environment that every program of a session starts with, whatever starts it. */
import { AGENT_HOME } from '@slipway/protocol'

type Variables = Readonly<Record<string, string>>

/** What a login sets. The PATH is the image's own, which a login shell builds anew. */
const LOGIN: Variables = {
  HOME: AGENT_HOME,
  USER: 'developer',
  LOGNAME: 'developer',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
}

/** What a login sets and these variables; of a name that is set twice the last value counts. */
export const sessionEnvironment = (...layers: readonly Variables[]): Record<string, string> =>
  Object.assign({}, LOGIN, ...layers) as Record<string, string>
