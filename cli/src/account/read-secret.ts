/** Reads a secret, without showing it. */
import { password, isCancel } from '@clack/prompts'
import { SlipwayError, usage } from '../api/errors.ts'
import type { Stream } from '../output/output.ts'

/** Longest secret, in characters. */
const SECRET_MAX = 4096

interface SecretInput {
  readonly stdin: NodeJS.ReadStream
  readonly output: Stream
  readonly signal: AbortSignal
}

/** The first line of standard input, or what the user types without seeing it. */
export const readSecret = async (place: SecretInput): Promise<string> => {
  const secret = (place.stdin.isTTY ? await typed(place) : await piped(place)).trim()
  if (secret === '') throw usage('There is no token on standard input.')
  return secret
}

const typed = async ({ stdin, output, signal }: SecretInput): Promise<string> => {
  const answer = await password({ message: 'Token', mask: '*', input: stdin, output, signal })
  if (isCancel(answer)) throw new SlipwayError('NOT_SIGNED_IN', 'Nothing was stored.')
  return answer
}

const piped = async ({ stdin }: SecretInput): Promise<string> => {
  let text = ''
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1')
    if (text.length > SECRET_MAX) throw usage(`A token has ${SECRET_MAX} characters at most.`)
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] ?? ''
}
