/** An ordinary user who opens terminals. */
import { randomBytes } from 'node:crypto'
import { Api } from './api.ts'

export interface Member {
  readonly email: string
  readonly token: string
}

/** Uses API tokens. Checking a password takes 19 MiB for a moment, which would blur the figures. */
export const addMember = async (api: Api, index: number): Promise<Member> => {
  const email = `user-${index}@bench.example`
  const password = randomBytes(12).toString('hex')
  await api.post('/users', { email, password, role: 'user' })
  const own = await Api.signIn(api.base, email, password)
  const { token } = await own.post<{ token: string }>('/tokens', { name: 'bench', scopes: ['terminal'] })
  return { email, token }
}
