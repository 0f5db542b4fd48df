/** The environment that every program of a session starts with. */
import { AGENT_HOME } from '@slipway/protocol'

type Variables = Readonly<Record<string, string>>

/** The variables that a login sets. PATH comes from the image; a login shell rebuilds it. */
const LOGIN: Variables = {
  HOME: AGENT_HOME,
  USER: 'developer',
  LOGNAME: 'developer',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
}

/** The login's variables and these layers. If a name is set twice, the last value wins. */
export const sessionEnvironment = (...layers: readonly Variables[]): Record<string, string> =>
  Object.assign({}, LOGIN, ...layers) as Record<string, string>
