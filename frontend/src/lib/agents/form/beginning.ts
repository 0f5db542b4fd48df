import { AGENT_HOME, type CreateAgent, type Preparation } from '@slipway/protocol'

/** What a new agent begins with, as its form edits it. An empty text stands for nothing. */
export interface Beginning {
  url: string
  ref: string
  folder: string
  setupCommand: string
  prompt: string
  /** Whether git in the agent gets the token in force, for a private repository. */
  useGitToken: boolean
}

export const noBeginning = (): Beginning => ({
  ...{ url: '', ref: '', folder: '', setupCommand: '', prompt: '', useGitToken: false },
})

/** The fields of the request. */
export function beginningBody(
  beginning: Beginning,
): Pick<CreateAgent, 'repository' | 'setupCommand' | 'task' | 'useGitToken'> {
  const [url, ref, folder] = [beginning.url.trim(), beginning.ref.trim(), beginning.folder.trim()]
  const repository = { url, ...(ref !== '' && { ref }), ...(folder !== '' && { folder }) }
  return {
    ...(url !== '' && { repository }),
    ...(url !== '' && beginning.useGitToken && { useGitToken: true }),
    ...(beginning.setupCommand.trim() !== '' && { setupCommand: beginning.setupCommand.trim() }),
    ...(beginning.prompt.trim() !== '' && { task: { prompt: beginning.prompt.trim() } }),
  }
}

/** How long a preparation that succeeded is news, in milliseconds. */
const NEWS_MS = 600_000

/** Whether it is shown: what goes on or needs its user, and for a while what is done. */
export const isNews = ({ state, changedAt, task }: Preparation, now: number): boolean =>
  state !== 'ready' || task?.error != null || now - Date.parse(changedAt) < NEWS_MS

/** The repository as people call it: the end of its address, without the host. */
export const repositoryName = (url: string): string =>
  url
    .replace(/^(?:[a-z]+:\/\/[^/]*\/|[^/:]*:)/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/')

/** The folder as a user writes it in a terminal. */
const shown = (folder: string): string => folder.replace(AGENT_HOME, '~')

/** What it does or came to, in one sentence. */
export function preparationText({ state, repository, progress, setupCommand, task }: Preparation): string {
  const name = repository ? repositoryName(repository.url) : null
  switch (state) {
    case 'waiting':
      return name === null || repository?.isCloned
        ? 'The set-up starts when the agent runs'
        : `${name} is cloned when the agent runs`
    case 'cloning':
      return `Cloning ${name ?? 'the repository'}${progress ? ` · ${progress.step}` : ''}`
    case 'confirming':
      return `${name ?? 'The repository'} wants to set up the agent`
    case 'setting_up':
      return 'Running the set-up'
    case 'ready':
      if (task?.error != null) return `The first task did not start: ${task.error}`
      return repository ? `${name ?? ''} is ready in ${shown(repository.folder)}` : 'The agent is set up'
    case 'cancelled':
      return repository && !repository.isCloned
        ? `The clone of ${name ?? ''} was cancelled`
        : 'The set-up was cancelled'
    case 'failed':
      return repository && !repository.isCloned
        ? `Could not clone ${name ?? 'the repository'}`
        : setupCommand === null
          ? 'Could not start the task'
          : 'The set-up failed'
  }
}

/** A command as a user would type it. A program with its arguments has quotes where they say where one ends. */
export const commandText = (command: string | readonly string[]): string =>
  typeof command === 'string'
    ? command
    : command
        .map((one) => (/^[\w@%+=:,./-]+$/.test(one) ? one : `'${one.replaceAll("'", String.raw`'\''`)}'`))
        .join(' ')
