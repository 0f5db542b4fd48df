import type {
  AcceptInvitationBody,
  AuthStatus,
  InvitedAs,
  LoginBody,
  SetupBody,
  SignedIn,
  SignIn,
  UpdateMe,
  User,
} from '@slipway/protocol'
import { http } from './transport/client.ts'
import { listAll } from './transport/pages.ts'
import { refreshKey } from './transport/refreshKey.ts'

async function signIn(path: string, body: unknown): Promise<User> {
  const answer = await http.requestPublic<SignedIn>('POST', path, body)
  http.adopt(answer)
  return answer.user
}

/** Whether the first admin exists. */
export const readAuthStatus = () => http.requestPublic<AuthStatus>('GET', '/auth/status')
/** Whether pages at this address may sign in. If they may not, nothing works there but the page itself. */
export const isOwnOrigin = async (): Promise<boolean> => {
  const query = new URLSearchParams({ origin: location.origin })
  const { originAllowed } = await http.requestPublic<AuthStatus>('GET', `/auth/status?${query}`)
  return originAllowed !== false
}
/** Makes the first admin with the one-time link's token. */
export const setUp = (body: SetupBody) => signIn('/auth/setup', body)
/** The e-mail address that an invitation is for. */
export const readInvitation = (token: string) =>
  http.requestPublic<InvitedAs>('POST', '/auth/invitation/lookup', { token })
/** Chooses the password of an invited account. */
export const acceptInvitation = (body: AcceptInvitationBody) => signIn('/auth/invitation', body)
export const logIn = (body: LoginBody) => signIn('/auth/login', body)
/** Whether somebody has signed in with this browser before. It spares a first visit a request that can only fail. */
export const mayResume = (): boolean => refreshKey.read() !== null
/** Picks up the sign-in that the cookie and the refresh key hold. */
export const resume = async (): Promise<User> => (await http.renew()).user

/** Ends the sign-in here and on the server. */
export async function logOut(): Promise<void> {
  const key = refreshKey.read()
  try {
    await http.send('POST', '/auth/logout')
  } finally {
    http.forget()
    if (key !== null) refreshKey.forget(key)
  }
}

/** A token for a socket's first message; with `fresh` one that was not used before. */
export const accessToken = async (fresh = false): Promise<string> =>
  fresh ? (await http.renew()).accessToken : http.accessToken()
export const onSignInExpired = (listener: () => void) => http.onExpired(listener)

/** A role that was changed shows with the next renewal. */
export const onRenewed = (listener: (user: User) => void) => http.onRenewed(listener)

export const listSignIns = () => listAll<SignIn>('/users/me/sign-ins')
export const endSignIn = (id: string) => http.send('DELETE', `/users/me/sign-ins/${encodeURIComponent(id)}`)
/** Here one stays signed in. */
export const endOtherSignIns = () => http.send('DELETE', '/users/me/sign-ins')

/** The person as the server knows them now. */
export const readMe = () => http.request<User>('GET', '/users/me')
export const changePassword = (body: UpdateMe) => http.request<User>('PATCH', '/users/me', body)
