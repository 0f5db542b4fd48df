/**
 * Who may do what: one table, and the only place that decides it. It is pure: it knows neither requests nor the
 * database.
 */
import type { Relation, Role, Scope } from '@slipway/protocol'
import type { Caller } from '../identity/caller.ts'

/** What a caller is to an agent: its owner, an admin who does not own it, a sharee, or none of these. */
export type Standing = Relation | 'none'

/** Every action of the API. */
export type Action =
  | 'account.view'
  | 'account.change'
  | 'account.preferences'
  | 'account.channels'
  | 'sign_ins.manage'
  | 'account.credentials'
  | 'tokens.manage'
  | 'ssh_keys.manage'
  | 'users.list'
  | 'users.manage'
  | 'agents.list'
  | 'agents.create'
  | 'agents.templates'
  | 'agent.view'
  | 'agent.processes'
  | 'agent.use'
  | 'agent.manage'
  | 'agent.prepare'
  | 'agent.share'
  | 'agent.trust'
  | 'agent.tools'
  | 'agent.files'
  | 'agent.credentials'
  | 'agent.gateway'
  | 'agent.variables'
  | 'terminal.open'
  | 'tasks.list'
  | 'task.start'
  | 'task.view'
  | 'task.end'
  | 'task.archive'
  | 'task.terminal'
  | 'task.input'
  | 'conversations.list'
  | 'conversation.view'
  | 'conversation.write'
  | 'dashboard.view'
  | 'dashboard.mark'
  | 'dialogs.list'
  | 'dialog.view'
  | 'dialog.ask'
  | 'dialog.answer'
  | 'task.discard'
  | 'task.validate'
  | 'task.publish'
  | 'tools.use'
  | 'usage.view'
  | 'budgets.manage'
  | 'providers.list'
  | 'providers.manage'
  | 'schedules.list'
  | 'schedules.manage'
  | 'webhooks.list'
  | 'webhooks.manage'
  | 'webhooks.platform'
  | 'skills.list'
  | 'skills.manage'
  | 'skills.platform'
  | 'templates.list'
  | 'templates.manage'
  | 'templates.platform'
  | 'rules.list'
  | 'rules.manage'
  | 'rules.platform'
  | 'recordings.view'
  | 'recordings.manage'
  | 'recordings.share'
  | 'terminal.share'
  | 'terminal.publish'
  | 'system.view'
  | 'system.manage'
  | 'system.files'
  | 'system.credentials'
  | 'system.terminal'
  | 'platform.credentials'
  | 'events.listen'
  | 'audit.read'
  | 'metrics.read'

/** Scopes of which one is enough. */
interface OneOf {
  readonly oneOf: readonly Scope[]
}

/**
 * The scope that an API token needs, or several, or one of several. `any`: every token may; `none`: no token may, only a
 * sign-in.
 */
type NeededScope = Scope | readonly Scope[] | OneOf | 'any' | 'none'

/** `roles` decides about the platform; `relations` about one agent, once the agent is known. */
type Rule =
  | { readonly scope: NeededScope; readonly roles: readonly Role[] }
  | { readonly scope: NeededScope; readonly relations: readonly Standing[] }

const EVERYONE = ['admin', 'user'] as const
const ADMINS = ['admin'] as const
const OWNERS = ['owner', 'admin'] as const
const USERS_OF_IT = ['owner', 'admin', 'sharee'] as const
/**
 * For actions that let others into an agent, or its data out: `agents:write` alone must not be worth as much as a
 * terminal.
 */
const OPENING = ['agents:write', 'terminal'] as const

const TABLE: Readonly<Record<Action, Rule>> = {
  'account.view': { scope: 'any', roles: EVERYONE },
  'account.change': { scope: 'none', roles: EVERYONE },
  // A user's own screen does not concern programs.
  'account.preferences': { scope: 'none', roles: EVERYONE },
  // A program could have the questions of its user sent elsewhere.
  'account.channels': { scope: 'none', roles: EVERYONE },
  'sign_ins.manage': { scope: 'none', roles: EVERYONE },
  // These keys cost money or open repositories, and a token was not made for them.
  'account.credentials': { scope: 'none', roles: EVERYONE },
  // A token that could create tokens could outlive its own revocation.
  'tokens.manage': { scope: 'none', roles: EVERYONE },
  // A key opens terminals, and would outlive the token that added it.
  'ssh_keys.manage': { scope: 'none', roles: EVERYONE },
  'users.list': { scope: 'users:admin', roles: ADMINS },
  'users.manage': { scope: 'users:admin', roles: ADMINS },
  'agents.list': { scope: 'agents:read', roles: EVERYONE },
  'agents.create': { scope: 'agents:write', roles: EVERYONE },
  // All users may make agents of them.
  'agents.templates': { scope: 'none', roles: ADMINS },
  'agent.view': { scope: 'agents:read', relations: USERS_OF_IT },
  'agent.processes': { scope: 'agents:read', relations: USERS_OF_IT },
  // Start, stop, restart, and ending processes that were left in the container.
  'agent.use': { scope: 'agents:write', relations: USERS_OF_IT },
  // Settings, deletion, ending a share.
  'agent.manage': { scope: 'agents:write', relations: OWNERS },
  // It clones a repository and runs its set-up, like a terminal.
  'agent.prepare': { scope: OPENING, relations: OWNERS },
  'agent.share': { scope: OPENING, relations: OWNERS },
  // The owner's own credentials are at stake, so no other user and no program decides it.
  'agent.trust': { scope: 'none', relations: ['owner'] },
  // Its programs then act in the owner's name.
  'agent.tools': { scope: 'none', relations: ['owner'] },
  // A home contains credentials of its CLIs, so only those who may open a terminal may read it.
  'agent.files': { scope: 'terminal', relations: USERS_OF_IT },
  'agent.credentials': { scope: 'agents:write', relations: OWNERS },
  // A credential with an address: the agent's programs send their work to it.
  'agent.gateway': { scope: OPENING, relations: OWNERS },
  // A variable decides what the agent's programs do, and where they send what they work with.
  'agent.variables': { scope: OPENING, relations: OWNERS },
  'terminal.open': { scope: 'terminal', relations: USERS_OF_IT },
  // A user's own tasks, in any agent.
  'tasks.list': { scope: 'tasks:read', roles: EVERYONE },
  // A task does what a user could do in a terminal.
  'task.start': { scope: 'tasks:write', relations: USERS_OF_IT },
  // Its output is in the agent's home, too, which all of its users may read.
  'task.view': { scope: 'tasks:read', relations: USERS_OF_IT },
  // One's own task; owners and admins end those of others, too.
  'task.end': { scope: 'tasks:write', relations: USERS_OF_IT },
  // One's own task only: it is in no other user's lists.
  'task.archive': { scope: 'tasks:write', relations: USERS_OF_IT },
  // Its conversation is in the agent's home. It goes on in a terminal of the caller's own.
  'task.terminal': { scope: ['tasks:write', 'terminal'], relations: USERS_OF_IT },
  // One's own task only: its program may hold its user's own credentials.
  'task.input': { scope: 'tasks:write', relations: USERS_OF_IT },
  'conversations.list': { scope: 'tasks:read', roles: EVERYONE },
  // Its turns are tasks.
  'conversation.view': { scope: 'tasks:read', relations: USERS_OF_IT },
  // A message is a task with the rights of who sends it. Whose conversation and message it is decides about the rest.
  'conversation.write': { scope: 'tasks:write', relations: USERS_OF_IT },
  // A user's own tasks, and those in their agents. Without `agents:read`, it counts no agents.
  'dashboard.view': { scope: 'tasks:read', roles: EVERYONE },
  'dashboard.mark': { scope: 'tasks:write', roles: EVERYONE },
  'dialogs.list': { scope: 'tasks:read', roles: EVERYONE },
  'dialog.view': { scope: 'tasks:read', relations: USERS_OF_IT },
  'dialog.ask': { scope: 'tasks:write', relations: USERS_OF_IT },
  // A sharee answers their own questions only.
  'dialog.answer': { scope: 'tasks:write', relations: USERS_OF_IT },
  // It writes to the agent's home, like a terminal.
  'task.discard': { scope: ['tasks:write', 'terminal'], relations: USERS_OF_IT },
  // It runs the programs of a project, like a terminal.
  'task.validate': { scope: ['tasks:write', 'terminal'], relations: USERS_OF_IT },
  // It runs programs with the caller's credentials, like a terminal.
  'task.publish': { scope: ['tasks:write', 'terminal'], relations: USERS_OF_IT },
  // To speak MCP. Each tool asks for the right of its route.
  'tools.use': { scope: 'tasks:read', roles: EVERYONE },
  // A user's own tasks, and those in their agents; admins see all.
  'usage.view': { scope: 'tasks:read', roles: EVERYONE },
  // A token that could raise a budget would not be bound by it.
  'budgets.manage': { scope: 'none', roles: ADMINS },
  // A user's own descriptions of coding CLIs, which only their tasks use.
  'providers.list': { scope: 'tasks:read', roles: EVERYONE },
  'providers.manage': { scope: 'tasks:write', roles: EVERYONE },
  // A user's own schedules. What they start needs the right to start tasks in the agent.
  'schedules.list': { scope: 'tasks:read', roles: EVERYONE },
  'schedules.manage': { scope: 'tasks:write', roles: EVERYONE },
  // A user's own webhooks. An outgoing one sends out what its user may read, an incoming one starts tasks.
  'webhooks.list': { scope: 'tasks:read', roles: EVERYONE },
  'webhooks.manage': { scope: ['tasks:read', 'tasks:write'], roles: EVERYONE },
  // It hears of the tasks of all users.
  'webhooks.platform': { scope: 'none', roles: ADMINS },
  // A user's own skills, and those of the platform. They are instructions for the user's own tasks.
  'skills.list': { scope: 'tasks:read', roles: EVERYONE },
  'skills.manage': { scope: 'tasks:write', roles: EVERYONE },
  // They reach the tasks of all users.
  'skills.platform': { scope: 'none', roles: ADMINS },
  // A user's own prompts, and those of the platform.
  'templates.list': { scope: 'tasks:read', roles: EVERYONE },
  'templates.manage': { scope: 'tasks:write', roles: EVERYONE },
  // All users may begin tasks with them.
  'templates.platform': { scope: 'none', roles: ADMINS },
  // A user's own approval rules, and those of the platform. A token with this scope may answer the questions, too.
  'rules.list': { scope: 'tasks:read', roles: EVERYONE },
  'rules.manage': { scope: 'tasks:write', roles: EVERYONE },
  // They decide for all tasks.
  'rules.platform': { scope: 'none', roles: ADMINS },
  // Those who may open a terminal may see what it showed. Of other users' sessions they see only what was shared with
  // them.
  'recordings.view': { scope: 'terminal', relations: USERS_OF_IT },
  // Deleting. Not for the user of the session: recordings exist so that others can look at them.
  'recordings.manage': { scope: 'agents:write', relations: OWNERS },
  'recordings.share': { scope: OPENING, relations: OWNERS },
  // A user's own terminals; owners and admins share those of others, too.
  'terminal.share': { scope: 'terminal', relations: USERS_OF_IT },
  // For people without access to the agent. Only its owner may give access.
  'terminal.publish': { scope: 'terminal', relations: OWNERS },
  'system.view': { scope: 'agents:read', roles: ADMINS },
  'system.manage': { scope: 'agents:write', roles: ADMINS },
  'system.files': { scope: 'terminal', roles: ADMINS },
  'system.credentials': { scope: 'none', roles: ADMINS },
  'system.terminal': { scope: 'terminal', roles: ADMINS },
  'platform.credentials': { scope: 'none', roles: ADMINS },
  // With `tasks:read` alone, only what happens to tasks.
  'events.listen': { scope: { oneOf: ['agents:read', 'tasks:read'] }, roles: EVERYONE },
  'audit.read': { scope: 'none', roles: ADMINS },
  // A scope of its own: a program that reads metrics must not see agents.
  'metrics.read': { scope: 'metrics:read', roles: ADMINS },
}

/** Every action, for tests and checks that walk over all of them. */
export const ACTIONS = Object.keys(TABLE) as readonly Action[]

/**
 * Whether the caller may do it. Without `relation`, an action on one agent is decided only as far as it does not depend
 * on the agent: a yes then means "find the agent and ask again".
 */
export function allows(caller: Caller, action: Action, relation?: Standing): boolean {
  const rule = TABLE[action]
  if (!hasScope(caller, rule.scope)) return false
  if ('roles' in rule) return rule.roles.includes(caller.role)
  return relation === undefined || rule.relations.includes(relation)
}

const isOneOf = (needed: NeededScope): needed is OneOf => typeof needed === 'object' && 'oneOf' in needed

function hasScope({ via }: Caller, needed: NeededScope): boolean {
  if (via.kind !== 'api_token' || needed === 'any') return true
  if (isOneOf(needed)) return needed.oneOf.some((scope) => via.scopes.includes(scope))
  return needed !== 'none' && [needed].flat().every((scope) => via.scopes.includes(scope))
}

/** Why the action is refused whatever the agent is: a sentence that names what is missing. */
export function refusalText(caller: Caller, action: Action): string {
  const { scope } = TABLE[action]
  if (hasScope(caller, scope)) return 'Only admins may do this.'
  if (scope === 'none') return 'An API token may not do this. Sign in instead.'
  if (isOneOf(scope)) return lacks(`one of the scopes ${scope.oneOf.join(' and ')}`)
  const missing = [scope].flat().filter((one) => !hasScope(caller, one))
  return lacks(`the ${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(' and ')}`)
}

const lacks = (what: string): string => `This API token lacks ${what}. Make another token under Account.`

/** What the caller is to an agent. The system agent has no owner. */
export function standingOf(
  caller: Caller,
  agent: { readonly ownerId: string | null; readonly isShared: boolean },
): Standing {
  if (agent.ownerId === caller.userId) return 'owner'
  if (caller.role === 'admin') return 'admin'
  return agent.isShared ? 'sharee' : 'none'
}

/** Whether the decision depends on the caller's relation to an agent. */
export function isAboutAgent(action: Action): boolean {
  return 'relations' in TABLE[action]
}
