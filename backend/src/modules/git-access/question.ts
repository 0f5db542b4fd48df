/**
 * What git asks its credential helper, and the answer: lines of `key=value` (git-credential(1)). The question comes from a
 * program in an agent, so it may be anything.
 */

/** Longest question, in bytes. Git sends a host, sometimes a path, and what the host answered. */
export const QUESTION_BYTES = 16_384

/** The origin that it is about, such as `https://github.com`; null if it is none to which a token could be sent. */
export const originIn = (question: string): string | null => {
  const fields = new Map(
    question.split('\n').map((line): [string, string] => {
      const at = line.indexOf('=')
      return [line.slice(0, Math.max(0, at)), line.slice(at + 1)]
    }),
  )
  const [protocol, host] = [fields.get('protocol'), fields.get('host')]
  // A token never travels without encryption.
  if (protocol !== 'https' || host === undefined || !/^[A-Za-z0-9.:[\]-]+$/.test(host)) return null
  const url = URL.parse(`https://${host}/`)
  return url && url.username === '' ? url.origin : null
}

/** Who signs in there. */
export interface GitSignIn {
  readonly user: string
  readonly password: string
}

/** The answer as git reads it: nothing if there is none. A value with a line feed would be two answers. */
export const answerOf = (signIn: GitSignIn | null): string => {
  if (!signIn || [signIn.user, signIn.password].some((value) => /[\n\0]/.test(value))) return ''
  return `username=${signIn.user}\npassword=${signIn.password}\n`
}
