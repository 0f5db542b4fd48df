import type { CreatedUser, CreateUser, UpdateUser, User } from '@slipway/protocol'
import { http } from './client.ts'
import { listAll } from './pages.ts'

export const listUsers = () => listAll<User>('/users')
export const createUser = (body: CreateUser) => http.request<CreatedUser>('POST', '/users', body)
export const updateUser = (id: string, body: UpdateUser) =>
  http.request<User>('PATCH', `/users/${encodeURIComponent(id)}`, body)
