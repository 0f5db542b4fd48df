/** The groups of the API's description, in the order in which a new user needs them. */

/** A group as OpenAPI declares it. A route's `tags` contains the `name`. */
export interface Tag {
  readonly name: string
  readonly description: string
}

/** All tags. A test compares them with the tags of the routes. */
export const TAGS: readonly Tag[] = [
  { name: 'auth', description: 'Set up the first admin, accept an invitation, sign in and out.' },
  { name: 'tokens', description: 'API tokens of your own account, with scopes and an expiry.' },
  { name: 'agents', description: 'Create, start, stop, change and delete agents; their logs and usage.' },
  { name: 'tasks', description: 'Hand a coding CLI in an agent a piece of work, and follow what it does.' },
  {
    name: 'conversations',
    description: 'Chains of tasks on one session of a coding CLI: messages, their queue, turns.',
  },
  { name: 'dialogs', description: 'Questions of agents to people, and rules that answer them.' },
  { name: 'notifications', description: 'Pushes to your browsers, and answers that come from them or from a mail.' },
  { name: 'dashboard', description: 'What waits for you, what runs, what has ended, what it costs, what is next.' },
  {
    name: 'webhooks',
    description: 'Tell other servers that tasks have ended, and start tasks when other services call.',
  },
  { name: 'exec', description: 'Run a program in an agent, without a terminal.' },
  { name: 'files', description: 'Upload to an agent’s home, download from it, and look for paths.' },
  { name: 'git', description: 'The git repositories in an agent’s home: what changed, commits, branches, stashes.' },
  { name: 'ports', description: 'What listens in an agent, and its way into a browser.' },
  { name: 'ssh', description: 'SSH keys of your own account, and where the SSH server is.' },
  { name: 'terminals', description: 'Links to live terminals. The terminals themselves are WebSockets.' },
  { name: 'recordings', description: 'Recorded terminals: list, share, download, delete.' },
  { name: 'processes', description: 'Programs that still run in an agent without a terminal.' },
  {
    name: 'credentials',
    description: 'Keys for model providers and Git hosts: of an agent, of yours, of the platform.',
  },
  { name: 'connectors', description: 'MCP servers that tasks get: of an agent, of yours, of the platform.' },
  { name: 'skills', description: 'Instructions that tasks get: of an agent, of yours, of the platform.' },
  { name: 'sharing', description: 'Who else may use an agent.' },
  { name: 'users', description: 'Your account, its sign-ins and preferences; for admins, all accounts.' },
  { name: 'system agent', description: 'The platform’s own agent, for admins.' },
  { name: 'audit', description: 'Who did what, for admins.' },
  { name: 'health', description: 'For load balancers and process managers. No token is needed.' },
  { name: 'metrics', description: 'Figures for Prometheus.' },
]
