/** Turns Docker's errors into {@link RuntimeError}s. */
import { RuntimeError, type RuntimeErrorCode } from '../errors.ts'

interface DockerFailure {
  statusCode?: number
  code?: string
  message?: string
  json?: { message?: string }
}

/** Socket errors if no engine listens, or if it goes away during a response. */
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

/** Turns any error of dockerode into a typed one. */
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

/** Like {@link typed}, but the listed failures count as success. */
export const tolerate = async (codes: readonly RuntimeErrorCode[], call: () => Promise<unknown>): Promise<void> => {
  try {
    await typed(call)
  } catch (error) {
    if (!(error instanceof RuntimeError && codes.includes(error.code))) throw error
  }
}
