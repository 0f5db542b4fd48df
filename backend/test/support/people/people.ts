/** Users of the API, each with a cookie jar and a token. */
import { REFRESH_COOKIE, REFRESH_KEY_HEADER, type Role, type SignedIn } from '@slipway/protocol'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TestApp } from '../server/app.ts'

/** The password of every user in the tests. It satisfies the rules. */
export const PASSWORD = 'correct horse battery'

/** A request's method and address, such as `POST /auth/login`. */
export type Call = `${'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'} /${string}`

/** What a client sends. */
export interface Sending {
  readonly body?: object | undefined
  readonly token?: string | undefined
  /** The cookie and the refresh key, as {@link refreshTokenFrom} answers them, or the cookie alone. */
  readonly refreshToken?: string | undefined
  readonly headers?: Record<string, string>
}

/** Sends one request to `/api`. */
export function call(app: FastifyInstance, what: Call, sending: Sending = {}): Promise<LightMyRequestResponse> {
  const [method, path] = what.split(' ') as ['GET', string]
  const [cookie, key] = sending.refreshToken?.split(' ') ?? []
  return app.inject({
    method,
    url: `/api${path}`,
    ...(sending.body === undefined ? {} : { payload: sending.body }),
    headers: {
      ...(sending.token === undefined ? {} : { authorization: `Bearer ${sending.token}` }),
      ...(key === undefined ? {} : { [REFRESH_KEY_HEADER]: key }),
      ...sending.headers,
    },
    ...(cookie === undefined ? {} : { cookies: { [REFRESH_COOKIE]: cookie } }),
  })
}

/** The refresh token of an answer's cookie, a space, and the refresh key of its body. */
export function refreshTokenFrom(response: LightMyRequestResponse): string {
  const cookie = response.cookies.find(({ name }) => name === REFRESH_COOKIE)
  if (!cookie) throw new Error(`no refresh cookie in an answer with status ${response.statusCode}`)
  return `${cookie.value} ${response.json<SignedIn>().refreshKey}`
}

/** A signed-in user. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly token: string
  readonly refreshToken: string
}

function personFrom(response: LightMyRequestResponse): Person {
  if (response.statusCode !== 200) throw new Error(`signing in failed: ${response.body}`)
  const { accessToken, user } = response.json<SignedIn>()
  return { id: user.id, email: user.email, token: accessToken, refreshToken: refreshTokenFrom(response) }
}

/** Creates the first admin with a new set-up link. */
export async function setUpAdmin({ app, identity }: TestApp, email = 'admin@example.org'): Promise<Person> {
  const link = await identity.setup.createSetupLink('http://localhost')
  const token = link?.url.split('#token=')[1]
  return personFrom(await call(app, 'POST /auth/setup', { body: { token, email, password: PASSWORD } }))
}

/** Signs a user in. By default with the password of all users. */
export async function signIn({ app }: TestApp, email: string, password = PASSWORD): Promise<Person> {
  return personFrom(await call(app, 'POST /auth/login', { body: { email, password } }))
}

/** The admin adds a user, who then signs in. */
export async function addPerson(people: TestApp, admin: Person, email: string, role: Role = 'user'): Promise<Person> {
  const body = { email, role, password: PASSWORD }
  const response = await call(people.app, 'POST /users', { token: admin.token, body })
  if (response.statusCode !== 201) throw new Error(`adding a user failed: ${response.body}`)
  return signIn(people, email)
}
