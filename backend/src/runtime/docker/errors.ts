/** Docker's answers as {@link RuntimeError}s. */
import { RuntimeError, type RuntimeErrorCode } from '../errors.ts'

interface DockerFailure {
  statusCode?: number
  code?: string
  message?: string
  json?: { message?: string }
}

/** What a socket says when nothing listens behind it, or when it went away in mid-answer. */
const UNREACHABLE = new Set([
  'EACCES',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
])

const codeOf = (failure: DockerFailure, text: string): RuntimeErrorCode => {
  if (failure.statusCode === undefined)
    return UNREACHABLE.has(failure.code ?? '') || /socket hang up/.test(text) ? 'engine_unavailable' : 'engine_error'
  if (/no such image|image .* not found|manifest unknown/i.test(text)) return 'image_missing'
  if (/cannot allocate memory|out of memory|memory limit/i.test(text)) return 'no_memory'
  if (/is already in use by container|name .* already in use/i.test(text)) return 'name_taken'
  if (/is not running|is paused|container stopped/i.test(text)) return 'not_running'
  if (failure.statusCode === 404) return 'not_found'
  return 'engine_error'
}

/** Turns whatever dockerode threw into a typed error. */
export const toRuntimeError = (thrown: unknown): RuntimeError => {
  if (thrown instanceof RuntimeError) return thrown
  const failure = thrown as DockerFailure
  const text = failure.json?.message ?? failure.message ?? String(thrown)
  return new RuntimeError(codeOf(failure, text), text, { cause: thrown })
}

/** Runs `call` and types its failure. */
export const typed = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw toRuntimeError(error)
  }
}

/** Like {@link typed}, but takes the listed failures as done already. */
export const tolerate = async (codes: readonly RuntimeErrorCode[], call: () => Promise<unknown>): Promise<void> => {
  try {
    await typed(call)
  } catch (error) {
    if (!(error instanceof RuntimeError && codes.includes(error.code))) throw error
  }
}
