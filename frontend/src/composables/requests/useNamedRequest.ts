import { watch } from 'vue'
import { ApiError } from '@/api/transport/errors.ts'
import { randomId } from '@/lib/browser/randomId.ts'

/** Whether the server may have acted, or may still act, on a request that failed so. */
export const mayAct = (error: unknown): boolean =>
  !(error instanceof ApiError) ||
  error.statusCode < 400 ||
  error.statusCode >= 500 ||
  error.code === 'REQUEST_IN_PROGRESS'

/**
 * Sends requests with an idempotency key, which stays until the server has answered: the same request sent again acts
 * once. `typed` is what the user types for the request. Once that changes after a failure, the same words are another
 * request.
 */
export function useNamedRequest<Body, Answer>(
  send: (body: Body, key: string) => Promise<Answer>,
  typed: () => unknown = () => null,
) {
  let unanswered: { readonly text: string; readonly key: string } | null = null
  let isUnderWay = false
  watch(
    typed,
    () => {
      if (!isUnderWay) unanswered = null
    },
    { deep: true, flush: 'sync' },
  )

  return async function sendNamed(body: Body): Promise<Answer> {
    const text = JSON.stringify(body)
    if (unanswered?.text !== text) unanswered = { text, key: randomId() }
    isUnderWay = true
    try {
      const answer = await send(body, unanswered.key)
      unanswered = null
      return answer
    } catch (error) {
      if (!mayAct(error)) unanswered = null
      throw error
    } finally {
      isUnderWay = false
    }
  }
}
