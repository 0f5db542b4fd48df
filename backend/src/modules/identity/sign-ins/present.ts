/** Sign-ins as their user sees them. */
import type { SignIn } from '@slipway/protocol'
import Bowser from 'bowser'
import type { StoredSignIn } from './repository.ts'

/** What stands for a device that did not say what it is. */
const UNKNOWN = 'Unknown device'
/** A program that is no browser names itself first, such as `curl/8.14.1`. */
const PROGRAM = /^([A-Za-z][\w.-]{0,30})\/(\d+(?:\.\d+)?)/

/** The words for a device: what its browser or program says of itself, which anybody can make say anything. */
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

/** `currentId`: the sign-in that asks. */
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
