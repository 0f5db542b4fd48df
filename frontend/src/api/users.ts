import type { CreatedUser, CreateUser, DeleteUserQuery, Invitation, UpdateUser, User } from '@slipway/protocol'
import { http } from './transport/client.ts'
import { listAll } from './transport/pages.ts'

export const listUsers = () => listAll<User>('/users')
export const createUser = (body: CreateUser) => http.request<CreatedUser>('POST', '/users', body)
export const updateUser = (id: string, body: UpdateUser) =>
  http.request<User>('PATCH', `/users/${encodeURIComponent(id)}`, body, 'harmless')
/** `query` says what becomes of their agents; nothing where they own none. */
export const deleteUser = (id: string, query: DeleteUserQuery) =>
  http.send('DELETE', `/users/${encodeURIComponent(id)}?${new URLSearchParams(query)}`)
/** A new link for somebody who has not chosen a password yet; the one before is void. */
export const inviteAgain = (id: string) =>
  http.request<Invitation>('POST', `/users/${encodeURIComponent(id)}/invitation`, undefined, 'harmless')
