/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a POST that is retried with the same key is
 * executed once and gets the same answer. A route opts in (`config.idempotent`). On any other POST the header is
 * refused, because its client relies on it.
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
     * The route accepts an `Idempotency-Key`. Its answer contains no secret, and repeating it with the same
     * `resourceId` creates nothing new. If the right depends on an agent, this function checks that right and rejects
     * as the route does, before a kept answer is replayed.
     */
    idempotent?: true | ((request: FastifyRequest) => Promise<unknown>)
    /** Other services call this public route. It reads their header `Idempotency-Key` itself. */
    readsKey?: true
  }
  interface FastifyRequest {
    /** The id of the resource that this request creates, the same at every retry. */
    resourceId: string | undefined
    idempotencyClaim: Claim | null
  }
}

export const IDEMPOTENCY_HEADER = 'idempotency-key'
/** Marks an answer as a replay. */
export const REPLAYED_HEADER = 'idempotent-replayed'
/** Visible ASCII characters. The quotes that the draft requires count as part of the key. */
const KEY = /^[\x21-\x7e]{1,255}$/

export interface IdempotencyOptions {
  readonly keys: IdempotencyKeys
}

/** Register it after access and before the routes, because a replay needs the right at the time of the retry. */
export const idempotencyPlugin = fp<IdempotencyOptions>(
  async (app, { keys }) => {
    app.decorateRequest('resourceId')
    app.decorateRequest('idempotencyClaim', null)
    requireRightChecks(app)

    // After validation, so that the answer to an invalid request is not kept.
    app.addHook('preHandler', async (request, reply) => {
      const key = keyOf(request)
      if (key === null) return
      const { userId, via } = requireCaller(request)
      const { method, url, body } = request
      const begun = await keys.begin({ userId, proofId: proofOf(via).id, key, method, url, body })
      if ('status' in begun) {
        request.resourceId = begun.resourceId
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

/** Keeps the server from starting if a route would replay an answer to a caller who has lost the right. */
function requireRightChecks(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    const { action, idempotent } = config ?? {}
    if (idempotent === true && action !== undefined && action !== 'public' && isAboutAgent(action))
      throw new Error(
        `${String(method)} ${url} does not check the right to its agent (config.idempotent must be a function)`,
      )
  })
}

/** Whether the answer may differ at the next try: too many requests, or a failure of the server. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers[IDEMPOTENCY_HEADER]
  if (key === undefined || request.method !== 'POST' || request.is404) return null
  if (request.routeOptions.config.readsKey) return null
  if (!request.routeOptions.config.idempotent)
    throw new AppError('VALIDATION', 'idempotency-key: this route does not accept a key. Send the request without one.')
  if (typeof key !== 'string' || !KEY.test(key))
    throw new AppError('VALIDATION', 'idempotency-key: must be 1 to 255 visible ASCII characters')
  return key
}
