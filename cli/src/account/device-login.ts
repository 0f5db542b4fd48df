/** Gets a token that the user allows in a browser, perhaps on another device. */
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { CollectedDeviceLogin, CreateDeviceLogin, CreatedDeviceLogin } from '@slipway/protocol'
import { isTransient } from '../api/again.ts'
import { Client } from '../api/client.ts'
import { SlipwayError } from '../api/errors.ts'
import type { Output } from '../output/output.ts'

/** What the commands need. The user may allow less. */
const SCOPES: CreateDeviceLogin['scopes'] = ['agents:read', 'terminal', 'tasks:read', 'tasks:write']
/** Longest name of a token, in characters. */
const NAME_MAX = 100

interface LoginContext {
  readonly url: string
  readonly out: Output
  readonly signal: AbortSignal
}

/**
 * Shows a code, and waits until the user has allowed or denied it.
 *
 * @returns the token
 * @throws {SlipwayError} `NOT_SIGNED_IN` if the user denies it, or the code expires
 */
export const tokenByCode = async ({ url, out, signal }: LoginContext): Promise<string> => {
  const client = new Client({ url, token: null })
  const body: CreateDeviceLogin = { name: `slipway on ${hostname() || 'a device'}`.slice(0, NAME_MAX), scopes: SCOPES }
  const login = await client.json<CreatedDeviceLogin>('POST', '/device-logins', { body, signal })
  out.note(`Open ${url}${login.path} in a browser, and enter the code ${login.userCode}`)
  out.note(`Or open ${url}${login.path}#code=${login.userCode} and compare the code.`)
  out.note('Waiting until you allow it. The code is valid for ten minutes. Ctrl+C stops waiting.')
  // Whether the last answer may have been the one with the token, which is given once.
  let isLost = false
  for (;;) {
    let collected: CollectedDeviceLogin
    try {
      await pause(login.intervalSeconds * 1000, undefined, { signal })
      const sent = { body: { deviceCode: login.deviceCode }, signal }
      collected = await client.json<CollectedDeviceLogin>('POST', '/device-logins/collect', sent)
    } catch (error) {
      isLost ||= isTransient(error)
      // The code is still valid after the server has been away.
      if (isTransient(error) && !signal.aborted) continue
      if (isLost) out.note(lostToken(url, body.name))
      throw withoutCode(error)
    }
    isLost = false
    if (collected.state === 'allowed') return collected.token.token
    if (collected.state === 'denied') throw new SlipwayError('NOT_SIGNED_IN', 'You have denied it. Nothing was stored.')
  }
}

const lostToken = (url: string, name: string): string =>
  `An answer with the token may be lost. If you have allowed it, revoke the new token under "Account" at ${url}. ` +
  `It is called "${name}", unless you gave it another name.`

const withoutCode = (error: unknown): unknown =>
  error instanceof SlipwayError && error.code === 'INVALID_CODE'
    ? new SlipwayError('NOT_SIGNED_IN', 'The code is not valid any more. Run "slipway login" again.', { cause: error })
    : error
