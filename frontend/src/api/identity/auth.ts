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
import { http } from '../transport/client.ts'
import { isOtherUser } from '../transport/errors.ts'
import { listAll } from '../transport/pages.ts'
import { refreshKey } from '../transport/refreshKey.ts'

async function signIn(path: string, body: unknown): Promise<User> {
  const answer = await http.requestPublic<SignedIn>('POST', path, body)
  http.adopt(answer)
  return answer.user
}

/** Whether the first admin exists. */
export const readAuthStatus = () => http.requestPublic<AuthStatus>('GET', '/auth/status')
/** Whether the server accepts sign-ins from this page's address. If not, the page can do nothing else either. */
export const isOwnOrigin = async (): Promise<boolean> => {
  const query = new URLSearchParams({ origin: location.origin })
  const { originAllowed } = await http.requestPublic<AuthStatus>('GET', `/auth/status?${query}`)
  return originAllowed !== false
}
/** Creates the first admin, with the token of the one-time link. */
export const setUp = (body: SetupBody) => signIn('/auth/setup', body)
/** The e-mail address that an invitation is for. */
export const readInvitation = (token: string) =>
  http.requestPublic<InvitedAs>('POST', '/auth/invitation/lookup', { token })
/** Sets the password of an invited account. */
export const acceptInvitation = (body: AcceptInvitationBody) => signIn('/auth/invitation', body)
export const logIn = (body: LoginBody) => signIn('/auth/login', body)
/** Whether a user has signed in with this browser before. On a first visit this saves a request that would fail. */
export const mayResume = (): boolean => refreshKey.read() !== null
/** Restores the sign-in from the cookie and the refresh key. */
export const resume = async (): Promise<User> => (await http.renew()).user

/** Ends the sign-in here and on the server. The refresh key of another user, who has signed in meanwhile, stays. */
export async function logOut(): Promise<void> {
  const key = refreshKey.read()
  let isMine = true
  try {
    await http.send('POST', '/auth/logout')
  } catch (error) {
    isMine = !isOtherUser(error)
    throw error
  } finally {
    http.forget()
    if (key !== null && isMine) refreshKey.forget(key)
  }
}

/** A token for a socket's first message. `fresh` asks for one that was not used before. */
export const accessToken = async (fresh = false): Promise<string> =>
  fresh ? (await http.renew()).accessToken : http.accessToken()
export const onSignInExpired = (listener: (why: string | null) => void) => http.onExpired(listener)

/** Calls the listener at each renewal, for instance after a change of the user's role. */
export const onRenewed = (listener: (user: User) => void) => http.onRenewed(listener)

export const listSignIns = () => listAll<SignIn>('/users/me/sign-ins')
export const endSignIn = (id: string) => http.send('DELETE', `/users/me/sign-ins/${encodeURIComponent(id)}`)
/** This device stays signed in. */
export const endOtherSignIns = () => http.send('DELETE', '/users/me/sign-ins')

/** The user as the server has them now. */
export const readMe = () => http.request<User>('GET', '/users/me')
export const changePassword = (body: UpdateMe) => http.request<User>('PATCH', '/users/me', body)
