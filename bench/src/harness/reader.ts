/** An ordinary user who reads about agents, or about what else the scopes of their API token say. */
import { randomBytes } from 'node:crypto'
import { Api } from './api.ts'

export interface Reader {
  readonly userId: string
  readonly email: string
  readonly token: string
}

export const addReader = async (admin: Api, scopes: readonly string[] = ['agents:read']): Promise<Reader> => {
  const person = { email: 'reader@bench.example', password: randomBytes(12).toString('hex') }
  const { id } = await admin.post<{ id: string }>('/users', { ...person, role: 'user' })
  const own = await Api.signIn(admin.base, person.email, person.password)
  const { token } = await own.post<{ token: string }>('/tokens', { name: 'bench', scopes })
  return { userId: id, email: person.email, token }
}
