/** Sign-ins as their user sees them. */
import type { SignIn } from '@slipway/protocol'
import Bowser from 'bowser'
import type { StoredSignIn } from './repository.ts'

/** The label for a device that did not name itself. */
const UNKNOWN = 'Unknown device'
/** A program other than a browser begins with its name, such as `curl/8.14.1`. */
const PROGRAM = /^([A-Za-z][\w.-]{0,30})\/(\d+(?:\.\d+)?)/

/** The label of a device, from its browser's or program's own name. Any client can send any name. */
export function deviceIn(userAgent: string | null): string {
  if (!userAgent) return UNKNOWN
  const { browser, os } = Bowser.parse(userAgent)
  if (!browser.name) {
    const [, program, version] = PROGRAM.exec(userAgent) ?? []
    return program && version ? `${program} ${version}` : UNKNOWN
  }
  const version = browser.version?.split('.', 1)[0]
  const name = version ? `${browser.name} ${version}` : browser.name
  return os.name ? `${name} on ${os.name}` : name
}

/** `currentId`: the sign-in of the request. */
export function presentSignIn(row: StoredSignIn, currentId: string | null): SignIn {
  return {
    id: row.id,
    device: deviceIn(row.userAgent),
    current: row.id === currentId,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }
}
