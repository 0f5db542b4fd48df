/** The audit log: its events and its queries. */
import Type, { type Static } from 'typebox'
import { Nullable, PageQuery, Timestamp } from './common.ts'

/** The kinds of target of an event. */
export const AUDIT_TARGETS = [
  'user',
  'sign_in',
  'token',
  'ssh_key',
  'agent',
  'credential',
  'connector',
  'skill',
  'budget',
  'provider',
  'schedule',
  'webhook',
  'template',
  'rule',
  'audit',
] as const
export type AuditTargetType = (typeof AUDIT_TARGETS)[number]

/**
 * Every recorded action, with its kind of target and its sentence after the actor's name. Obsolete actions stay in the
 * table, because the log still has rows of them.
 */
export const AUDIT_ACTIONS = {
  'login.succeeded': { target: 'user', says: 'signed in' },
  'login.failed': { target: 'user', says: 'failed to sign in' },
  'login.suppressed': { target: null, says: 'repeated failed sign-ins, counted only' },
  'sign_in.ended': { target: 'sign_in', says: 'ended a sign-in' },
  'sign_in.others_ended': { target: 'user', says: 'signed out other devices' },
  'sign_in.token_reused': { target: 'sign_in', says: 'used a refresh token twice, which ended the sign-in' },
  'setup.link_created': { target: null, says: 'created the setup link' },
  'user.created': { target: 'user', says: 'added the user' },
  'user.invited': { target: 'user', says: 'invited the user' },
  'user.invitation_accepted': { target: 'user', says: 'accepted the invitation' },
  'user.role_changed': { target: 'user', says: 'changed the role of the user' },
  'user.disabled': { target: 'user', says: 'disabled the user' },
  'user.enabled': { target: 'user', says: 'enabled the user' },
  'user.deleted': { target: 'user', says: 'deleted the user' },
  'user.password_changed': { target: 'user', says: 'changed the password' },
  'user.password_refused': { target: 'user', says: 'entered a wrong current password' },
  'push.added': { target: 'user', says: 'added a device for pushes to' },
  'push.removed': { target: 'user', says: 'removed a device for pushes from' },
  'push.tested': { target: 'user', says: 'tested a device for pushes of' },
  'chat.code_created': { target: 'user', says: 'made a code to link a chat account to' },
  'chat.linked': { target: 'user', says: 'linked a chat account to' },
  'chat.unlinked': { target: 'user', says: 'removed the link of a chat account to' },
  'device.allowed': { target: 'user', says: 'allowed a program on another device to act as' },
  'device.denied': { target: 'user', says: 'refused a program on another device that wanted to act as' },
  'token.created': { target: 'token', says: 'created the API token' },
  'token.revoked': { target: 'token', says: 'revoked the API token' },
  'ssh_key.added': { target: 'ssh_key', says: 'added the SSH key' },
  'ssh_key.removed': { target: 'ssh_key', says: 'removed the SSH key' },
  'share.created': { target: 'agent', says: 'shared the agent' },
  'share.removed': { target: 'agent', says: 'stopped sharing the agent' },
  'agent.created': { target: 'agent', says: 'created the agent' },
  'agent.changed': { target: 'agent', says: 'changed the settings of the agent' },
  'agent.started': { target: 'agent', says: 'started the agent' },
  'agent.stopped': { target: 'agent', says: 'stopped the agent' },
  'agent.restarted': { target: 'agent', says: 'restarted the agent' },
  'agent.recreated': { target: 'agent', says: 'recreated the container of the agent' },
  'agent.trusted': { target: 'agent', says: 'allowed their own credentials again in the agent' },
  'agent.tools_set': { target: 'agent', says: "let programs use the platform's tools in the agent" },
  'agent.tools_removed': { target: 'agent', says: "no longer let programs use the platform's tools in the agent" },
  'agent.handed_over': { target: 'agent', says: 'handed over the agent' },
  'agent.deleting': { target: 'agent', says: 'began to delete the agent' },
  'agent.deleted': { target: 'agent', says: 'deleted the agent' },
  'preparation.cancelled': { target: 'agent', says: 'cancelled what was being prepared in the agent' },
  'preparation.retried': { target: 'agent', says: 'tried again to prepare the agent' },
  'preparation.confirmed': { target: 'agent', says: 'chose what the repository may set up in the agent' },
  'credential.set': { target: 'credential', says: 'set a credential of' },
  'credential.removed': { target: 'credential', says: 'removed a credential of' },
  'credential.tested': { target: 'credential', says: 'tested a credential of' },
  'variable.set': { target: 'agent', says: 'set a variable of the agent' },
  'connector.set': { target: 'connector', says: 'set a connector of' },
  'connector.switched': { target: 'connector', says: 'switched a connector of' },
  'connector.removed': { target: 'connector', says: 'removed a connector of' },
  'skill.set': { target: 'skill', says: 'set a skill of' },
  'skill.switched': { target: 'skill', says: 'switched a skill of' },
  'skill.removed': { target: 'skill', says: 'removed a skill of' },
  'skill.settings_set': { target: 'skill', says: 'changed which skills tasks get of' },
  'skill.imported': { target: 'skill', says: 'read skills to import in' },
  'variable.removed': { target: 'agent', says: 'removed a variable of the agent' },
  'file.downloaded': { target: 'agent', says: 'began to download a file of the agent' },
  'file.moved': { target: 'agent', says: 'began to move a file or folder of the agent' },
  'file.deleted': { target: 'agent', says: 'began to delete a file or folder of the agent' },
  'file.searched': { target: 'agent', says: 'began to search in files of the agent' },
  'folder.created': { target: 'agent', says: 'began to create a folder of the agent' },
  'file.uploaded': { target: 'agent', says: 'began to upload a file to the agent' },
  'process.ended': { target: 'agent', says: 'ended a process of the agent' },
  'terminal.started': { target: 'agent', says: 'opened a terminal of the agent' },
  'terminal.attached': { target: 'agent', says: 'reconnected to a terminal of the agent' },
  'terminal.link_created': { target: 'agent', says: 'created a link to a terminal of the agent' },
  'terminal.link_revoked': { target: 'agent', says: 'revoked a link to a terminal of the agent' },
  'terminal.watched': { target: 'agent', says: 'opened a shared terminal of the agent' },
  'terminal.control_given': { target: 'agent', says: 'handed over control of a terminal of the agent' },
  'terminal.control_taken_back': { target: 'agent', says: 'took back control of a terminal of the agent' },
  'terminal.ended': { target: 'agent', says: 'ended a terminal of the agent' },
  'recording.viewed': { target: 'agent', says: 'opened a recording of the agent' },
  'recording.downloaded': { target: 'agent', says: 'downloaded a recording of the agent' },
  'recording.shared': { target: 'agent', says: 'shared a recording of the agent' },
  'recording.unshared': { target: 'agent', says: 'stopped sharing a recording of the agent' },
  'recording.deleted': { target: 'agent', says: 'deleted a recording of the agent' },
  'port.opened': { target: 'agent', says: 'opened a port of the agent' },
  'port.link_created': { target: 'agent', says: 'created a link to a port of the agent' },
  'port.link_revoked': { target: 'agent', says: 'revoked a link to a port of the agent' },
  'port.visited': { target: 'agent', says: 'opened a port of the agent with a link' },
  'ssh.connected': { target: 'agent', says: 'connected over SSH to the agent' },
  'exec.started': { target: 'agent', says: 'ran a program in the agent' },
  'exec.ended': { target: 'agent', says: 'finished a program in the agent' },
  'task.queued': { target: 'agent', says: 'put a task for the agent into the line' },
  'task.started': { target: 'agent', says: 'started a task in the agent' },
  'task.ended': { target: 'agent', says: 'finished a task in the agent' },
  'task.terminated': { target: 'agent', says: 'ended a task in the agent' },
  'dialog.asked': { target: 'agent', says: 'asked the people of the agent' },
  'dialog.answered': { target: 'agent', says: 'answered a question of the agent' },
  'dialog.cancelled': { target: 'agent', says: 'cancelled a question of the agent' },
  'git.staged': { target: 'agent', says: 'staged changes in the agent' },
  'git.unstaged': { target: 'agent', says: 'unstaged changes in the agent' },
  'git.discarded': { target: 'agent', says: 'discarded changes of a repository in the agent' },
  'git.restored': { target: 'agent', says: 'undid a discard in a repository of the agent' },
  'git.committed': { target: 'agent', says: 'made a commit in the agent' },
  'git.branch_created': { target: 'agent', says: 'created a branch in the agent' },
  'git.switched': { target: 'agent', says: 'switched the branch of a repository in the agent' },
  'git.stashed': { target: 'agent', says: 'put changes aside in a repository of the agent' },
  'git.stash_applied': { target: 'agent', says: 'applied a stash in the agent' },
  'git.stash_dropped': { target: 'agent', says: 'dropped a stash in the agent' },
  'git.fetched': { target: 'agent', says: 'fetched from the remote of a repository in the agent' },
  'git.pulled': { target: 'agent', says: 'pulled a branch in the agent' },
  'git.pushed': { target: 'agent', says: 'pushed a branch from the agent' },
  'git.proposed': { target: 'agent', says: 'asked for a pull request of a branch in the agent' },
  'worktrees.set': { target: 'agent', says: 'chose when tasks get a worktree in the agent' },
  'worktree.removed': { target: 'agent', says: 'removed a worktree of the agent' },
  'changes.committed': { target: 'agent', says: 'committed the work of a task in the agent' },
  'changes.pushed': { target: 'agent', says: 'pushed the work of a task from the agent' },
  'changes.proposed': { target: 'agent', says: 'opened or changed a pull request from the agent' },
  'worktree.taken_back': { target: 'agent', says: 'brought the commits of a worktree of the agent into a branch' },
  'changes.discarded': { target: 'agent', says: 'discarded changes of a task in the agent' },
  'changes.restored': { target: 'agent', says: 'undid a discard of changes in the agent' },
  'task.validated': { target: 'agent', says: 'started a validation of a task in the agent' },
  'task.validation_cancelled': { target: 'agent', says: 'ended a validation of a task in the agent' },
  'task.archived': { target: 'agent', says: 'archived a task in the agent' },
  'task.unarchived': { target: 'agent', says: 'took a task in the agent out of the archive' },
  'conversation.created': { target: 'agent', says: 'began a conversation in the agent' },
  'conversation.forked': { target: 'agent', says: 'forked a conversation in the agent' },
  'conversation.changed': { target: 'agent', says: 'changed a conversation in the agent' },
  'conversation.deleted': { target: 'agent', says: 'deleted a conversation in the agent' },
  'conversation.message_sent': { target: 'agent', says: 'sent a message to a conversation in the agent' },
  'conversation.steered': { target: 'agent', says: 'sent a message to the turn of a conversation in the agent' },
  'conversation.message_changed': { target: 'agent', says: 'changed a message of a conversation in the agent' },
  'conversation.message_withdrawn': { target: 'agent', says: 'withdrew a message of a conversation in the agent' },
  'discord.channels_set': { target: 'agent', says: 'chose the Discord channels of the agent' },
  'budget.changed': { target: 'budget', says: 'changed the monthly budget of' },
  'provider.created': { target: 'provider', says: 'created the custom provider' },
  'provider.changed': { target: 'provider', says: 'changed the custom provider' },
  'provider.removed': { target: 'provider', says: 'removed the custom provider' },
  'schedule.created': { target: 'schedule', says: 'created the schedule' },
  'schedule.changed': { target: 'schedule', says: 'changed the schedule' },
  'schedule.removed': { target: 'schedule', says: 'removed the schedule' },
  'schedule.disabled': { target: 'schedule', says: 'switched off the schedule' },
  'webhook.created': { target: 'webhook', says: 'created the webhook' },
  'webhook.changed': { target: 'webhook', says: 'changed the webhook' },
  'webhook.removed': { target: 'webhook', says: 'removed the webhook' },
  'webhook.rotated': { target: 'webhook', says: 'gave a new secret to the webhook' },
  'webhook.tested': { target: 'webhook', says: 'tested the webhook' },
  'webhook.sent_again': { target: 'webhook', says: 'sent a delivery again to the webhook' },
  'webhook.disabled': { target: 'webhook', says: 'switched off the webhook' },
  'template.created': { target: 'template', says: 'created the template' },
  'template.changed': { target: 'template', says: 'changed the template' },
  'template.removed': { target: 'template', says: 'removed the template' },
  'agent_template.set': { target: 'template', says: 'made or changed the template of agents' },
  'agent_template.removed': { target: 'template', says: 'removed the template of agents' },
  'rule.created': { target: 'rule', says: 'made the approval rule' },
  'rule.removed': { target: 'rule', says: 'removed the approval rule' },
  'audit.exported': { target: 'audit', says: 'exported the audit log' },
} as const satisfies Record<string, { target: AuditTargetType | null; says: string }>
export type AuditAction = keyof typeof AUDIT_ACTIONS

/** How the actor authenticated. `platform`: the server acted by itself; `none`: the actor did not authenticate. */
export const AUDIT_VIA = ['sign_in', 'api_token', 'discord', 'ssh_key', 'link', 'platform', 'none'] as const
export const AuditVia = Type.Enum(AUDIT_VIA)
export type AuditVia = (typeof AUDIT_VIA)[number]

/**
 * Further facts of the event. `changes` holds the values before and after for each changed field. For a secret it holds
 * only `"set"`, `"changed"` or `"removed"` as `secret`. All other entries are facts about this action.
 */
export const AuditDetail = Type.Record(Type.String(), Type.Unknown())
export type AuditDetail = Static<typeof AuditDetail>

export const AuditEvent = Type.Object({
  id: Type.String(),
  at: Timestamp,
  /** One of {@link AUDIT_ACTIONS}, or an action of an earlier version. */
  action: Type.String(),
  actor: Type.Object({
    id: Nullable(Type.String()),
    email: Nullable(Type.String()),
    via: AuditVia,
    /** The id of the sign-in, the API token or the SSH key. */
    viaId: Nullable(Type.String()),
    address: Nullable(Type.String()),
  }),
  /** The id of the request in the server's log. */
  requestId: Nullable(Type.String()),
  /** Null for events without a target. The name is the one at that time. */
  target: Nullable(Type.Object({ type: Type.String(), id: Nullable(Type.String()), name: Nullable(Type.String()) })),
  detail: AuditDetail,
})
export type AuditEvent = Static<typeof AuditEvent>

/** The database stores every character except NUL. */
const Words = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000]*$' })

const filters = {
  /** An id or an e-mail address. */
  actor: Type.Optional(Words),
  /** An action such as `agent.started`, or a group of actions such as `agent`. */
  action: Type.Optional(Type.String({ pattern: '^[a-z_]+(\\.[a-z_]+)?$', maxLength: 60 })),
  /** An id or a name of an agent, a user or a token. */
  target: Type.Optional(Words),
  /** From this moment. */
  from: Type.Optional(Timestamp),
  /** Before this moment. */
  to: Type.Optional(Timestamp),
}

/** The query of the list, which is sorted by time, newest first. */
export const AuditQuery = Type.Object({ ...PageQuery.properties, ...filters }, { additionalProperties: false })
export type AuditQuery = Static<typeof AuditQuery>

export const AUDIT_EXPORT_FORMATS = ['csv', 'ndjson'] as const
export const AuditExportQuery = Type.Object(
  { format: Type.Enum(AUDIT_EXPORT_FORMATS), ...filters },
  { additionalProperties: false },
)
export type AuditExportQuery = Static<typeof AuditExportQuery>
