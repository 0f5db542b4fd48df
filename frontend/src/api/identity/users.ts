import type { CreatedUser, CreateUser, DeleteUserQuery, Invitation, UpdateUser, User } from '@slipway/protocol'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

export const listUsers = () => listAll<User>('/users')
export const createUser = (body: CreateUser) => http.request<CreatedUser>('POST', '/users', body)
export const updateUser = (id: string, body: UpdateUser) =>
  http.request<User>('PATCH', `/users/${encodeURIComponent(id)}`, body, 'harmless')
/** `query` says what happens to the user's agents. Empty if they own none. */
export const deleteUser = (id: string, query: DeleteUserQuery) =>
  http.send('DELETE', `/users/${encodeURIComponent(id)}?${new URLSearchParams(query)}`)
/** A new link for an invited user without a password. The old link becomes invalid. */
export const inviteAgain = (id: string) =>
  http.request<Invitation>('POST', `/users/${encodeURIComponent(id)}/invitation`, undefined, 'harmless')
