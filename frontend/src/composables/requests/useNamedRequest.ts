import { ApiError } from '@/api/transport/errors.ts'
import { randomId } from '@/lib/browser/randomId.ts'

/**
 * Sends requests with an idempotency key, which stays until the server has answered: the same request sent again acts
 * once.
 */
export function useNamedRequest<Body, Answer>(send: (body: Body, key: string) => Promise<Answer>) {
  let unanswered: { readonly text: string; readonly key: string } | null = null

  return async function sendNamed(body: Body): Promise<Answer> {
    const text = JSON.stringify(body)
    if (unanswered?.text !== text) unanswered = { text, key: randomId() }
    try {
      const answer = await send(body, unanswered.key)
      unanswered = null
      return answer
    } catch (error) {
      if (error instanceof ApiError && error.statusCode >= 400 && error.statusCode < 500) unanswered = null
      throw error
    }
  }
}
