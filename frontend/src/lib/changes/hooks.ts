/** In which repositories this browser lets hooks and filters run: of one user at a time, who has chosen it. */

const NAME = 'slipway-hooks'
/** Most repositories that are remembered. The oldest one is forgotten. */
export const REPOSITORIES_MAX = 100

interface Kept {
  readonly userId: string
  /** The agent's id and the path of the repository, the newest last. */
  readonly on: readonly string[]
}

/** What a browser without storage keeps. It lasts as long as the page. */
let ofPage: Kept | null = null

function keptOf(userId: string): readonly string[] {
  const nothing = ofPage?.userId === userId ? ofPage.on : []
  try {
    const found = JSON.parse(localStorage.getItem(NAME) ?? 'null') as Partial<Kept> | null
    if (found?.userId !== userId || !Array.isArray(found.on)) return nothing
    return found.on.filter((one: unknown) => typeof one === 'string')
  } catch {
    return nothing
  }
}

const nameOf = (agentId: string, repository: string): string => `${agentId} ${repository}`

/** Whether the user lets the hooks and filters of a repository run. */
export const runsHooks = (userId: string, agentId: string, repository: string): boolean =>
  keptOf(userId).includes(nameOf(agentId, repository))

export function keepHooks(userId: string, agentId: string, repository: string, on: boolean): void {
  const name = nameOf(agentId, repository)
  const others = keptOf(userId).filter((one) => one !== name)
  ofPage = { userId, on: [...others, ...(on ? [name] : [])].slice(-REPOSITORIES_MAX) }
  try {
    localStorage.setItem(NAME, JSON.stringify(ofPage))
  } catch {
    // The storage is full or closed. The page keeps it.
  }
}

/** For a user who signs out. */
export function forgetHooks(): void {
  ofPage = null
  try {
    localStorage.removeItem(NAME)
  } catch {
    // There is no storage, so there is nothing to remove.
  }
}

/** What git and its programs printed as they refused an act. */
export interface Refusal {
  /** What failed, such as "Could not commit". */
  readonly what: string
  readonly message: string
  readonly output: string
}

/** The first line of the server's message is a sentence, and the rest is what was printed. */
export function refusalFrom(what: string, message: string): Refusal {
  const end = message.indexOf('\n')
  if (end === -1) return { what, message, output: '' }
  return { what, message: message.slice(0, end), output: message.slice(end + 1) }
}
