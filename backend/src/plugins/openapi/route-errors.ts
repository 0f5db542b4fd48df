/**
 * The errors that a route may answer, for the description of the API. Some follow from the route's declarations, others
 * are listed here.
 */
import { ERROR_STATUS, type ErrorCode } from '@slipway/protocol'
import type { RouteOptions } from 'fastify'

/** Errors that any request may get. */
const ANY_REQUEST = [
  'INTERNAL',
  'DATABASE_UNAVAILABLE',
  'SERVER_STOPPING',
  'MALFORMED_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
] as const
const ENGINE = ['WRONG_STATE', 'ENGINE_UNAVAILABLE'] as const
const FILES = [...ENGINE, 'OUTSIDE_HOME', 'FILE_NOT_FOUND', 'FILE_REFUSED', 'TOO_MANY_REQUESTS'] as const
const UPLOAD = [...FILES, 'LENGTH_REQUIRED', 'TOO_LARGE', 'DISK_FULL', 'FILE_EXISTS', 'FILE_CHANGED'] as const
const FILE_CHANGE = [...FILES, 'FILE_EXISTS'] as const
/** An extra error of reads that the audit log records. It records every change, so these have it anyway. */
const READ = ['AUDIT_REFUSED'] as const
const EXEC = [...ENGINE, 'TOO_MANY_REQUESTS'] as const
const TASK = ['PERSONAL_CREDENTIAL'] as const
const DISCARD = [...ENGINE, 'CHANGES_CONFLICT', 'CHANGES_GONE', 'FILE_REFUSED', 'TOO_MANY_REQUESTS'] as const
const PUBLISH = [...TASK, ...ENGINE] as const
const REMOTE = [...PUBLISH, 'REMOTE_REFUSED', 'TOO_MANY_REQUESTS'] as const
const GIT = [...ENGINE, 'NO_REPOSITORY', 'GIT_REFUSED', 'CHANGES_CONFLICT', 'TOO_MANY_REQUESTS'] as const
const WORKTREE = [...ENGINE, 'WORKTREE_IN_USE', 'WORKTREE_NOT_READY'] as const
const TAKE_BACK = [...WORKTREE, 'GIT_REFUSED', 'FILES_NOT_WRITTEN'] as const
const START = [
  'NOT_FOUND',
  'TOO_MANY_TASKS',
  'BUDGET_EXHAUSTED',
  'SESSION_IN_USE',
  'CLI_NOT_INSTALLED',
  'KEY_REFUSED',
  'DISK_FULL',
  'NO_WORKTREE',
  'WORKTREE_IN_USE',
] as const

/** The errors that do not follow from a route's declarations. */
export const OWN_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = {
  'GET /api/health/ready': ['ENGINE_UNAVAILABLE'],
  'POST /api/auth/setup': ['INVALID_LINK', 'ALREADY_SET_UP', 'EMAIL_TAKEN', 'FOREIGN_ORIGIN'],
  'POST /api/auth/invitation': ['INVALID_LINK', 'FOREIGN_ORIGIN'],
  'POST /api/auth/invitation/lookup': ['INVALID_LINK'],
  'POST /api/auth/login': ['INVALID_CREDENTIALS', 'FOREIGN_ORIGIN'],
  'POST /api/auth/refresh': ['INVALID_REFRESH', 'REFRESH_CONFLICT', 'FOREIGN_ORIGIN'],
  'POST /api/auth/logout': ['FOREIGN_ORIGIN'],
  'DELETE /api/users/me/discord': ['NOT_FOUND'],
  'PATCH /api/users/me': ['INVALID_CREDENTIALS', 'TOO_MANY_REQUESTS'],
  'POST /api/users': ['EMAIL_TAKEN'],
  'POST /api/users/:id/invitation': ['WRONG_STATE'],
  'PATCH /api/users/:id': ['LAST_ADMIN'],
  'DELETE /api/users/:id': ['LAST_ADMIN', 'OWNS_AGENTS', 'USER_NOT_FOUND', 'AGENTS_LEFT', ...ENGINE],
  'PUT /api/users/me/credentials/:kind': ['SECRET_KEY_MISMATCH'],
  'PUT /api/platform/credentials/:kind': ['SECRET_KEY_MISMATCH'],
  'PUT /api/agents/:name/credentials/:kind': ['SECRET_KEY_MISMATCH'],
  'PUT /api/system-agent/credentials/:kind': ['SECRET_KEY_MISMATCH'],
  'PUT /api/agents/:name/variables/:variable': ['SECRET_KEY_MISMATCH', 'TOO_MANY_VARIABLES'],
  'PUT /api/system-agent/variables/:variable': ['SECRET_KEY_MISMATCH', 'TOO_MANY_VARIABLES'],
  'PUT /api/agents/:name/connectors/:connector': ['SECRET_KEY_MISMATCH', 'TOO_MANY_CONNECTORS'],
  'PUT /api/system-agent/connectors/:connector': ['SECRET_KEY_MISMATCH', 'TOO_MANY_CONNECTORS'],
  'PUT /api/users/me/connectors/:connector': ['SECRET_KEY_MISMATCH', 'TOO_MANY_CONNECTORS'],
  'PUT /api/platform/connectors/:connector': ['SECRET_KEY_MISMATCH', 'TOO_MANY_CONNECTORS'],
  'PUT /api/agents/:name/skills/:skill': ['NAME_TAKEN', 'TOO_MANY_SKILLS'],
  'PUT /api/system-agent/skills/:skill': ['NAME_TAKEN', 'TOO_MANY_SKILLS'],
  'PUT /api/users/me/skills/:skill': ['NAME_TAKEN', 'TOO_MANY_SKILLS'],
  'PUT /api/platform/skills/:skill': ['NAME_TAKEN', 'TOO_MANY_SKILLS'],
  'POST /api/agents/:name/skills-import': ['WRONG_STATE', 'FILE_NOT_FOUND', 'OUTSIDE_HOME', ...ENGINE],
  'POST /api/system-agent/skills-import': ['WRONG_STATE', 'FILE_NOT_FOUND', 'OUTSIDE_HOME', ...ENGINE],
  'POST /api/users/me/credentials/:kind/test': ['TOO_MANY_REQUESTS'],
  'POST /api/platform/credentials/:kind/test': ['TOO_MANY_REQUESTS'],
  'POST /api/agents/:name/credentials/:kind/test': ['TOO_MANY_REQUESTS'],
  'POST /api/system-agent/credentials/:kind/test': ['TOO_MANY_REQUESTS'],
  'GET /api/audit/export': READ,
  'GET /api/recordings/:id/cast': READ,
  'DELETE /api/recordings/:id': ['WRONG_STATE'],
  'POST /api/tokens': ['TOO_MANY_TOKENS'],
  'POST /api/ssh-keys': ['TOO_MANY_SSH_KEYS', 'SSH_KEY_TAKEN'],
  'POST /api/device-logins/collect': ['INVALID_CODE', 'TOO_MANY_TOKENS'],
  'POST /api/device-logins/lookup': ['INVALID_CODE', 'TOO_MANY_REQUESTS'],
  'POST /api/device-logins/decision': ['INVALID_CODE', 'TOO_MANY_REQUESTS', 'TOO_MANY_TOKENS'],
  'POST /api/terminal-sessions/:sessionId/links': ['PERSONAL_CREDENTIAL', 'TOO_MANY_LINKS'],
  'POST /api/agents': ['NAME_TAKEN', 'NOT_OFFERED', 'SECRET_KEY_MISMATCH', 'TOO_MANY_AGENTS', 'WRONG_STATE'],
  'PUT /api/platform/agent-templates/:name': ['NOT_OFFERED', 'SECRET_KEY_MISMATCH', 'WRONG_STATE'],
  'PATCH /api/agents/:name': ['NOT_OFFERED'],
  'DELETE /api/agents/:name': ENGINE,
  'POST /api/agents/:name/start': ENGINE,
  'POST /api/agents/:name/stop': ENGINE,
  'POST /api/agents/:name/restart': ENGINE,
  'GET /api/agents/:name/logs': [...ENGINE, 'TOO_MANY_REQUESTS'],
  'GET /api/agents/:name/logs/follow': ['TOO_MANY_REQUESTS'],
  'GET /api/agents/:name/stats': ENGINE,
  'POST /api/agents/:name/shares': ['USER_NOT_FOUND', 'WRONG_STATE'],
  'POST /api/agents/:name/trust': ['WRONG_STATE'],
  'POST /api/agents/:name/preparation/cancel': ['WRONG_STATE'],
  'POST /api/agents/:name/preparation/retry': ['WRONG_STATE'],
  'POST /api/agents/:name/preparation/confirm': [...ENGINE, 'NOT_OFFERED', 'SECRET_KEY_MISMATCH', 'TOO_MANY_VARIABLES'],
  'GET /api/agents/:name/worktrees': ENGINE,
  'GET /api/system-agent/worktrees': ENGINE,
  'DELETE /api/agents/:name/worktrees/:worktree': WORKTREE,
  'DELETE /api/system-agent/worktrees/:worktree': WORKTREE,
  'POST /api/agents/:name/worktrees/:worktree/take-back': TAKE_BACK,
  'POST /api/system-agent/worktrees/:worktree/take-back': TAKE_BACK,
  'GET /api/agents/:name/processes': ENGINE,
  'DELETE /api/agents/:name/processes/:pid': ENGINE,
  'GET /api/agents/:name/ports': [...ENGINE, 'WRONG_STATE'],
  'POST /api/agents/:name/ports/:port/tickets': ['WRONG_STATE'],
  'POST /api/agents/:name/ports/:port/links': ['TOO_MANY_LINKS'],
  'POST /api/port-links/open': ['NOT_FOUND', 'WRONG_STATE'],
  'GET /api/system-agent/ports': [...ENGINE, 'WRONG_STATE'],
  'POST /api/system-agent/ports/:port/tickets': ['WRONG_STATE'],
  'POST /api/agents/:name/exec': EXEC,
  'POST /api/coding-agents/sessions': [...ENGINE, ...TASK, ...START, 'TERMINAL_OPEN'],
  'POST /api/coding-agents/sessions/:id/archive': [...TASK, 'WRONG_STATE'],
  'POST /api/coding-agents/sessions/:id/unarchive': TASK,
  'POST /api/coding-agents/comparisons': [...ENGINE, ...TASK, ...START, 'SAME_FOLDER'],
  'POST /api/coding-agents/comparisons/:id/choose': ['WRONG_STATE'],
  'POST /api/coding-agents/run': [...ENGINE, ...TASK, ...START],
  'POST /api/mcp': ['FOREIGN_ORIGIN'],
  'GET /api/mcp': ['FOREIGN_ORIGIN'],
  'DELETE /api/mcp': ['FOREIGN_ORIGIN'],
  'GET /api/users/me/budget': ['NOT_FOUND'],
  'POST /api/cli-providers': ['NAME_TAKEN', 'TOO_MANY_PROVIDERS'],
  'POST /api/cli-providers/:id/test': ENGINE,
  'POST /api/coding-agents/schedules': ['NOT_FOUND', 'TOO_MANY_SCHEDULES'],
  'PATCH /api/coding-agents/schedules/:id': ['WRONG_STATE'],
  'POST /api/coding-agents/schedules/:id/run': ['TOO_MANY_TASKS', 'WRONG_STATE'],
  'POST /api/webhooks': ['TOO_MANY_WEBHOOKS', 'SECRET_KEY_MISMATCH'],
  'PATCH /api/webhooks/:id': ['WRONG_STATE', 'SECRET_KEY_MISMATCH'],
  'POST /api/webhooks/:id/rotate': ['WRONG_STATE', 'SECRET_KEY_MISMATCH'],
  'POST /api/webhooks/:id/test': ['TOO_MANY_REQUESTS'],
  'POST /api/webhooks/:id/deliveries/:delivery/again': ['WRONG_STATE'],
  'POST /api/platform/webhooks': ['TOO_MANY_WEBHOOKS', 'SECRET_KEY_MISMATCH'],
  'PATCH /api/platform/webhooks/:id': ['WRONG_STATE', 'SECRET_KEY_MISMATCH'],
  'POST /api/platform/webhooks/:id/rotate': ['WRONG_STATE', 'SECRET_KEY_MISMATCH'],
  'POST /api/platform/webhooks/:id/test': ['TOO_MANY_REQUESTS'],
  'POST /api/platform/webhooks/:id/deliveries/:delivery/again': ['WRONG_STATE'],
  'POST /api/incoming-webhooks': ['NOT_FOUND', 'TOO_MANY_WEBHOOKS', 'SECRET_KEY_MISMATCH'],
  'PATCH /api/incoming-webhooks/:id': ['WRONG_STATE'],
  'POST /api/incoming-webhooks/:id/rotate': ['WRONG_STATE', 'SECRET_KEY_MISMATCH'],
  'POST /api/prompt-templates': ['NAME_TAKEN', 'TOO_MANY_TEMPLATES'],
  'PATCH /api/prompt-templates/:id': ['NAME_TAKEN'],
  'POST /api/platform/prompt-templates': ['NAME_TAKEN', 'TOO_MANY_TEMPLATES'],
  'PATCH /api/platform/prompt-templates/:id': ['NAME_TAKEN'],
  'POST /api/hooks/:id': ['NOT_FOUND', 'TOO_LARGE', 'TOO_MANY_TASKS', 'TOO_MANY_REQUESTS'],
  'GET /api/coding-agents/status': [...ENGINE, 'NOT_FOUND'],
  'POST /api/coding-agents/test': [...ENGINE, 'NOT_FOUND'],
  'GET /api/coding-agents/results/:id': [...TASK, 'WRONG_STATE'],
  'GET /api/coding-agents/sessions/:id': TASK,
  'DELETE /api/coding-agents/sessions/:id': TASK,
  'POST /api/coding-agents/sessions/:id/terminal': [...TASK, 'SESSION_IN_USE', 'WRONG_STATE'],
  'POST /api/conversations': ['NOT_FOUND', 'TOO_MANY_CONVERSATIONS', 'TOO_MANY_TASKS'],
  'GET /api/conversations/:id': TASK,
  'PATCH /api/conversations/:id': [...TASK, 'TOO_MANY_CONVERSATIONS', 'WRONG_STATE'],
  'DELETE /api/conversations/:id': [...TASK, 'WRONG_STATE'],
  'POST /api/conversations/:id/fork': [...TASK, 'CANNOT_FORK', 'TOO_MANY_CONVERSATIONS'],
  'POST /api/conversations/:id/interrupt': [...TASK, 'WRONG_STATE'],
  'GET /api/conversations/:id/messages': TASK,
  'POST /api/conversations/:id/messages': [...TASK, 'WRONG_STATE', 'TOO_MANY_MESSAGES', 'CANNOT_STEER'],
  'GET /api/conversations/:id/queue': TASK,
  'PATCH /api/conversations/:id/queue/:messageId': [...TASK, 'WRONG_STATE'],
  'DELETE /api/conversations/:id/queue/:messageId': [...TASK, 'WRONG_STATE'],
  'GET /api/dialogs/:id': ['TOO_MANY_REQUESTS'],
  'POST /api/dialogs': ['NOT_FOUND', 'TOO_MANY_DIALOGS', 'TOO_MANY_REQUESTS'],
  'POST /api/dialogs/:id/answer': ['DIALOG_CLOSED', 'TOO_MANY_RULES'],
  'POST /api/notices/:id/answer': ['DIALOG_CLOSED', 'TOO_MANY_RULES'],
  'POST /api/notifications/devices': ['TOO_MANY_DEVICES', 'SECRET_KEY_MISMATCH'],
  'POST /api/approval-rules': ['TOO_MANY_RULES'],
  'POST /api/agents/:name/approval-rules': ['TOO_MANY_RULES'],
  'POST /api/platform/approval-rules': ['TOO_MANY_RULES'],
  'DELETE /api/dialogs/:id': ['DIALOG_CLOSED'],
  'POST /api/coding-agents/sessions/:id/input': [...TASK, 'NOT_INTERACTIVE', 'WRONG_STATE'],
  'POST /api/coding-agents/sessions/:id/resize': [...TASK, 'NOT_INTERACTIVE', 'WRONG_STATE'],
  'GET /api/coding-agents/sessions/:id/output': TASK,
  'GET /api/coding-agents/sessions/:id/events': [...TASK, 'TRANSCRIPT_REMOVED', 'TOO_MANY_REQUESTS'],
  'GET /api/coding-agents/sessions/:id/diff': [...TASK, ...ENGINE, 'CHANGES_GONE'],
  'POST /api/coding-agents/sessions/:id/diff/discard': [...TASK, ...DISCARD],
  'POST /api/coding-agents/sessions/:id/validation': [...TASK, 'WRONG_STATE', 'TOO_MANY_REQUESTS'],
  'GET /api/coding-agents/sessions/:id/validation': TASK,
  'DELETE /api/coding-agents/sessions/:id/validation': [...TASK, 'WRONG_STATE'],
  'GET /api/coding-agents/sessions/:id/publication': PUBLISH,
  'POST /api/coding-agents/sessions/:id/publication/commit': [...PUBLISH, 'BRANCH_TAKEN', 'CHANGES_CONFLICT'],
  'POST /api/coding-agents/sessions/:id/publication/push': [...REMOTE, 'CHANGES_CONFLICT'],
  'POST /api/coding-agents/sessions/:id/publication/pull-request': [...REMOTE, 'PULL_REQUEST_CLOSED'],
  'GET /api/coding-agents/sessions/:id/publication/pull-request': [...REMOTE, ...READ],
  'GET /api/coding-agents/sessions/:id/publication/feedback': [...REMOTE, ...READ],
  'POST /api/coding-agents/sessions/:id/diff/undo': [...TASK, ...DISCARD],
  'GET /api/agents/:name/files': [...FILES, ...READ],
  'POST /api/agents/:name/files/find': FILES,
  'GET /api/agents/:name/files/list': FILES,
  'PUT /api/agents/:name/files': UPLOAD,
  'DELETE /api/agents/:name/files': FILES,
  'GET /api/agents/:name/files/tree': FILES,
  'GET /api/agents/:name/files/names': FILES,
  'POST /api/agents/:name/files/search': [...FILES, ...READ, 'NOT_OFFERED'],
  'POST /api/agents/:name/files/versions': FILES,
  'POST /api/agents/:name/files/folder': FILE_CHANGE,
  'POST /api/agents/:name/files/move': FILE_CHANGE,
  'POST /api/system-agent/start': ENGINE,
  'POST /api/system-agent/stop': ENGINE,
  'POST /api/system-agent/restart': ENGINE,
  'POST /api/system-agent/recreate': ENGINE,
  'GET /api/system-agent/logs': [...ENGINE, 'TOO_MANY_REQUESTS'],
  'GET /api/system-agent/logs/follow': ['TOO_MANY_REQUESTS'],
  'GET /api/system-agent/stats': ENGINE,
  'GET /api/system-agent/processes': ENGINE,
  'DELETE /api/system-agent/processes/:pid': ENGINE,
  'POST /api/system-agent/exec': EXEC,
  'GET /api/system-agent/files': [...FILES, ...READ],
  'POST /api/system-agent/files/find': FILES,
  'GET /api/system-agent/files/list': FILES,
  'PUT /api/system-agent/files': UPLOAD,
  'DELETE /api/system-agent/files': FILES,
  'GET /api/system-agent/files/tree': FILES,
  'GET /api/system-agent/files/names': FILES,
  'POST /api/system-agent/files/search': [...FILES, ...READ, 'NOT_OFFERED'],
  'POST /api/system-agent/files/versions': FILES,
  'POST /api/system-agent/files/folder': FILE_CHANGE,
  'POST /api/system-agent/files/move': FILE_CHANGE,
}

/** The parts of a route that {@link errorsOf} reads. */
export type DescribedRoute = Pick<RouteOptions, 'config' | 'method' | 'schema' | 'url'>

/** The repositories of an agent: all of their routes run a script in its container. */
const OF_GIT = /^\/api\/(?:agents\/:name|system-agent)\/git\//

/** All errors of a route, in the order of their statuses. */
export function errorsOf({ config, method, schema, url }: DescribedRoute): ErrorCode[] {
  const codes = new Set<ErrorCode>(ANY_REQUEST)
  const add = (...more: readonly ErrorCode[]): void => more.forEach((code) => codes.add(code))
  if (config?.action !== 'public') add('UNAUTHENTICATED', 'FORBIDDEN')
  if (schema?.body !== undefined) add('TOO_LARGE')
  if (schema?.body ?? schema?.params ?? schema?.querystring) add('VALIDATION')
  if (schema?.params !== undefined) add('NOT_FOUND')
  if (config?.rateLimit !== undefined) add('TOO_MANY_REQUESTS')
  if (method !== 'GET') add('AUDIT_REFUSED', 'VALIDATION')
  if (config?.idempotent) add('REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'TOO_MANY_REQUESTS')
  if (OF_GIT.test(url)) {
    add(...GIT)
    if (url.endsWith('/branches')) add('BRANCH_TAKEN')
    if (/\/(?:stage|commit|branches|switch|pull|push)$/.test(url) && method !== 'GET') add('GIT_FAILED')
    if (method !== 'GET' && !/\/(?:fetch|push|pull-request)$/.test(url)) add('FILES_NOT_WRITTEN')
    if (/\/(?:fetch|pull|push|pull-request)$/.test(url) && method !== 'GET') add('REMOTE_REFUSED')
  }
  add(...(OWN_ERRORS[`${String(method)} ${url}`] ?? []))
  return [...codes].sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b] || a.localeCompare(b))
}
