import type { RemovedWorktree, TakeBackWorktree, TakenBack, Worktree, WorktreeSettings } from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'

const pathOf = (key: string, id: string): string => `${agentPath(key)}/worktrees/${encodeURIComponent(id)}`

/** The worktrees of an agent, newest first. */
export const listWorktrees = (key: string) => http.request<Worktree[]>('GET', `${agentPath(key)}/worktrees`)
/** The worktree in which a folder is; empty if it is in none. */
export const worktreesAt = (key: string, folder: string) =>
  http.request<Worktree[]>('GET', `${agentPath(key)}/worktrees?${new URLSearchParams({ folder })}`)
/** Undefined: it is removed, and the answer that said where everything is was lost. */
export const removeWorktree = (key: string, id: string) =>
  http.request<RemovedWorktree | undefined>('DELETE', pathOf(key, id))
export const takeBackWorktree = (key: string, id: string, body: TakeBackWorktree) =>
  http.request<TakenBack>('POST', `${pathOf(key, id)}/take-back`, body)
export const readWorktreeSettings = (key: string) =>
  http.request<WorktreeSettings>('GET', `${agentPath(key)}/worktree-settings`)
export const saveWorktreeSettings = (key: string, body: WorktreeSettings) =>
  http.request<WorktreeSettings>('PUT', `${agentPath(key)}/worktree-settings`, body, 'harmless')
