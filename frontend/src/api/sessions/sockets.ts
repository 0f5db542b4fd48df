import { agentPath } from '../agents/agents.ts'

/** The address of a WebSocket below `/api`, on the page's own origin. */
function socketUrl(path: string, query: Record<string, string | null> = {}): string {
  const url = new URL(`/api${path}`, location.href)
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  url.hash = ''
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}

export const eventsUrl = () => socketUrl('/events')

/** What a terminal starts. Without a mode the server starts the agent's own runtime. */
export interface TerminalQuery extends Record<string, string | null> {
  mode: string | null
  model: string | null
  /** The task whose conversation it continues; null: none. Then its CLI, model and folder are those of the task. */
  task: string | null
  /** The folder in which a new program starts; null: the home. */
  folder: string | null
  /** Which of the user's terminals in the agent; null: the one without a name. */
  tab: string | null
}

/** URL of an agent's terminal. */
export const terminalUrl = (key: string, query: TerminalQuery) => socketUrl(`${agentPath(key)}/terminal`, query)

/** URL of another user's terminal, for a link. The link's secret goes into the first message. */
export const watchUrl = () => socketUrl('/watch')
