/** Whether the server runs, and whether it can do its work. */
import type { ErrorCode } from '@slipway/protocol'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { SECOND_MS } from '../lib/time/clock.ts'
import { AppError } from '../lib/errors.ts'

/** How long a check may take, in milliseconds. */
const CHECK_TIMEOUT_MS = 3 * SECOND_MS

/** A check for a service that the server needs. */
export interface ReadyCheck {
  /** The error code of the answer if the service does not work. */
  readonly code: ErrorCode
  readonly message: string
  /** Rejects if the service does not work. */
  run(): Promise<unknown>
}

/** Options of {@link healthRoutes}. */
export interface HealthOptions {
  readonly checks: readonly ReadyCheck[]
}

const Healthy = { 200: Type.Object({ status: Type.Literal('ok') }) }

/** `GET /health` answers while the process runs, `GET /health/ready` while every check passes. */
export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (app, { checks }) => {
  const config = { action: 'public', quiet: true } as const
  app.get('/health', { config, schema: { summary: 'Whether the server runs', response: Healthy } }, async () => ({
    status: 'ok' as const,
  }))
  app.get(
    '/health/ready',
    { config, schema: { summary: 'Whether everything that the server needs answers', response: Healthy } },
    async () => {
      await Promise.all(checks.map(assertReady))
      return { status: 'ok' as const }
    },
  )
}

/** The check for the database. */
export function databaseCheck(ping: () => Promise<void>): ReadyCheck {
  return { code: 'DATABASE_UNAVAILABLE', message: 'The database does not answer.', run: ping }
}

/** The check for the container engine. */
export function engineCheck(engine: { readonly available: boolean }): ReadyCheck {
  return {
    code: 'ENGINE_UNAVAILABLE',
    message: 'The container engine does not answer.',
    run: () => (engine.available ? Promise.resolve() : Promise.reject(new Error('the engine is not connected'))),
  }
}

async function assertReady({ code, message, run }: ReadyCheck): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timed out')), CHECK_TIMEOUT_MS)
  try {
    await Promise.race([run(), late])
  } catch (cause) {
    throw new AppError(code, message, { cause })
  } finally {
    clearTimeout(timer)
  }
}
