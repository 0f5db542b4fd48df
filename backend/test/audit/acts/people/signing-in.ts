/** Sign-ins and sign-outs. */
import { call, PASSWORD, refreshTokenFrom } from '../../../support/people/people.ts'
import { type Act, answer, someUser, WRONG } from '../act.ts'

export const SIGNING_IN: readonly Act[] = [
  [
    'a sign-in',
    200,
    async (team) => {
      const { email } = await someUser(team)
      return {
        perform: () => call(team.app, 'POST /auth/login', { body: { email, password: PASSWORD } }).then(answer),
        rows: [{ action: 'login.succeeded', actor: email, target: email, detail: { by: 'password' } }],
      }
    },
  ],
  [
    'a sign-in with a wrong password',
    401,
    async (team) => {
      const { email } = await someUser(team)
      const body = { email: email.toUpperCase(), password: WRONG }
      const detail = { reason: 'wrong_password' }
      return {
        perform: () => call(team.app, 'POST /auth/login', { body }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: email, detail }],
      }
    },
  ],
  [
    'a sign-in without an account',
    401,
    (team) =>
      Promise.resolve({
        perform: () =>
          call(team.app, 'POST /auth/login', { body: { email: 'No\0body', password: WRONG } }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: 'no\ufffdbody', detail: { reason: 'no_account' } }],
      }),
  ],
  [
    'a link that does not work',
    401,
    (team) => {
      const body = { token: 'guessed', password: PASSWORD }
      return Promise.resolve({
        perform: () => call(team.app, 'POST /auth/invitation', { body }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: null, detail: { reason: 'invalid_link' } }],
      })
    },
  ],
  [
    'a look-up of a link that does not work',
    401,
    (team) =>
      Promise.resolve({
        perform: () => call(team.app, 'POST /auth/invitation/lookup', { body: { token: 'guessed' } }).then(answer),
        rows: [{ action: 'login.failed', actor: null, target: null, detail: { reason: 'invalid_link' } }],
      }),
  ],
  [
    'a refresh token that is used twice',
    401,
    async (team) => {
      const person = await someUser(team)
      const refresh = (token = person.refreshToken) => call(team.app, 'POST /auth/refresh', { refreshToken: token })
      // The server still accepts the previous refresh token for a moment.
      await refresh(refreshTokenFrom(await refresh()))
      const row = { action: 'sign_in.token_reused', actor: null, target: person.email } as const
      return { perform: () => refresh().then(answer), rows: [row] }
    },
  ],
  [
    'a sign-out',
    204,
    async (team) => {
      const { email, refreshToken } = await someUser(team)
      return {
        perform: () => call(team.app, 'POST /auth/logout', { refreshToken }).then(answer),
        rows: [{ action: 'sign_in.ended', actor: email, target: email }],
      }
    },
  ],
]
