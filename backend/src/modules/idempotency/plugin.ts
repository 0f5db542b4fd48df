/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a POST that is sent again with the same key is
 * answered as the first one was, and done once. A route says that it takes part (`config.idempotent`); on any other POST
 * the header is refused, since who sends it relies on it.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../../lib/errors.ts'
import { isAboutAgent } from '../access/policy.ts'
import { proofOf } from '../identity/caller.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { Claim, IdempotencyKeys } from './keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Takes an `Idempotency-Key`. Its answer holds no secret, and done again with the same `resourceId` it makes nothing new. Where
     * the right to it depends on an agent, this asks for that right, and rejects as the route does: before a kept answer is given.
     */
    idempotent?: true | ((request: FastifyRequest) => Promise<unknown>)
  }
  interface FastifyRequest {
    /** The id of what this request makes, where it is the same at every try. */
    resourceId: string | undefined
    idempotencyClaim: Claim | null
  }
}

export const IDEMPOTENCY_HEADER = 'idempotency-key'
/** Says that an answer is the first one's. */
export const REPLAYED_HEADER = 'idempotent-replayed'
/** Visible characters; quotes, as the draft has them, are part of the key. */
const KEY = /^[\x21-\x7e]{1,255}$/

export interface IdempotencyOptions {
  readonly keys: IdempotencyKeys
}

/** Register after access, and before the routes: only who may do it now is answered, whoever they were when it was done. */
export const idempotencyPlugin = fp<IdempotencyOptions>(
  async (app, { keys }) => {
    app.decorateRequest('resourceId')
    app.decorateRequest('idempotencyClaim', null)
    requireQuestions(app)

    // After validation: what is no valid request is not one to remember.
    app.addHook('preHandler', async (request, reply) => {
      const key = keyOf(request)
      if (key === null) return
      const { userId, via } = requireCaller(request)
      const { method, url, body } = request
      const begun = await keys.begin({ userId, proofId: proofOf(via).id, key, method, url, body })
      if ('status' in begun) {
        const { idempotent } = request.routeOptions.config
        if (typeof idempotent === 'function') await idempotent(request)
        void reply.header(REPLAYED_HEADER, 'true').type('application/json; charset=utf-8')
        return reply.code(begun.status).send(begun.body)
      }
      request.idempotencyClaim = begun
      request.resourceId = begun.resourceId
    })

    app.addHook('onSend', async (request, reply, payload) => {
      const claim = request.idempotencyClaim
      if (claim === null) return
      request.idempotencyClaim = null
      if (isPassing(reply.statusCode)) claim.unanswered()
      else await claim.answered(reply.statusCode, typeof payload === 'string' ? payload : '')
    })
  },
  { name: 'idempotency', fastify: '5.x', dependencies: ['access'] },
)

/** A route that would give a kept answer to those who lost their right keeps the server from starting. */
function requireQuestions(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    const { action, idempotent } = config ?? {}
    if (idempotent === true && action !== undefined && action !== 'public' && isAboutAgent(action))
      throw new Error(`${String(method)} ${url} does not ask for the right to its agent (config.idempotent)`)
  })
}

/** What may be otherwise the next time: too much to do, something that does not answer. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers[IDEMPOTENCY_HEADER]
  if (key === undefined || request.method !== 'POST' || request.is404) return null
  if (!request.routeOptions.config.idempotent)
    throw new AppError('VALIDATION', 'idempotency-key: this address does not take one; see its documentation')
  if (typeof key !== 'string' || !KEY.test(key))
    throw new AppError('VALIDATION', 'idempotency-key: must have 1 to 255 visible characters')
  return key
}
