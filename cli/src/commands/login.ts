/** `slipway login` and `slipway logout` */
import type { User } from '@slipway/protocol'
import { currentServer, forgetAccount, storeAccount } from '../account/account.ts'
import { tokenByCode } from '../account/device-login.ts'
import { readSecret } from '../account/read-secret.ts'
import { isOpenOnTheWay, serverUrl } from '../account/server-url.ts'
import { again } from '../api/again.ts'
import { Client } from '../api/client.ts'
import { EXIT, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'

export const login = command({
  name: 'login',
  about: 'Sign in with a code that you allow in a browser, or with an API token',
  positionals: [],
  options: {
    server: { type: 'string', value: 'URL', about: 'The address of the server' },
    token: { type: 'boolean', about: 'Type an API token instead. Without a terminal it is read from standard input' },
  },
  run: async ({ options }, { env, stdin, out, interrupted }) => {
    const url = options.server === undefined ? await currentServer(env) : serverUrl(options.server)
    if (url === null) throw usage('--server is missing: the address of the server, such as https://slipway.example.org')
    if (isOpenOnTheWay(url)) out.note('This connection is not encrypted: others on the network can read the token.')
    const isTyped = options.token === true || !stdin.isTTY
    if (isTyped && stdin.isTTY) out.note(`Create an API token under "Account" at ${url}, and paste it here.`)
    const token = isTyped
      ? await readSecret({ stdin, output: out.stderr, signal: interrupted })
      : await tokenByCode({ url, out, signal: interrupted })
    if (!/^[\x21-\x7e]+$/.test(token)) throw usage('A token has letters, digits and signs only, without spaces.')
    const client = new Client({ url, token })
    const me = (): Promise<User> => client.json<User>('GET', '/users/me', { signal: interrupted })
    const store = async (): Promise<void> => out.note(`The token is in ${await storeAccount(env, { url, token })}`)
    // What was typed may be wrong. A token by code is good, and is nowhere else.
    if (!isTyped)
      await store().catch((error: unknown) => {
        out.note(`The new token could not be stored. Revoke it under "Account" at ${url}.`)
        throw error
      })
    const { email } = isTyped
      ? await me()
      : await again(me, { signal: interrupted, onLost: (error) => out.note(error.message) })
    if (isTyped) await store()
    out.note(`You are signed in at ${url} as ${email}.`)
    return EXIT.done
  },
})

export const logout = command({
  name: 'logout',
  about: 'Remove the stored token from this machine, without revoking it',
  positionals: [],
  options: {},
  run: async (_given, { env }) => {
    await forgetAccount(env)
    return EXIT.done
  },
})
