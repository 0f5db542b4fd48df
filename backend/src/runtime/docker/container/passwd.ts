/** The user of an agent in its container's `/etc/passwd`, so that `whoami`, git, ssh and a shell's prompt know it. */
import { AGENT_HOME } from '@slipway/protocol'
import { AGENT_GID } from './profile.ts'

const NAME = 'developer'
/** The user id whose shell is taken where an image has no user of that name. */
const IMAGE_UID = '1000'

/** The text of `/etc/passwd` in which `uid` is `developer`, and nothing else is. */
export const withUser = (passwd: string, uid: number): string => {
  const entries = passwd.split('\n').filter(Boolean)
  const fields = entries.map((entry) => entry.split(':'))
  const like = fields.find(([name]) => name === NAME) ?? fields.find(([, , id]) => id === IMAGE_UID)
  const others = entries.filter((_, index) => fields[index]?.[0] !== NAME && fields[index]?.[2] !== String(uid))
  const own = [NAME, 'x', uid, AGENT_GID, '', AGENT_HOME, like?.[6] ?? '/bin/sh'].join(':')
  return [...others, own, ''].join('\n')
}
