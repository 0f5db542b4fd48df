/** What Prometheus reads: the process, and every request by its route. */
import fp from 'fastify-plugin'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import Type from 'typebox'
import { SECOND_MS } from '../../lib/time/clock.ts'
import { routeOf } from '../request-log.ts'

/**
 * Upper bounds in seconds. A request that reads one row takes a few milliseconds, one that waits for a container many
 * seconds.
 */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]

/** Creates a registry with the metrics of the process. Modules add their own. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Options of {@link metricsPlugin}. */
export interface MetricsOptions {
  readonly registry: Registry
}

/** Measures requests, and answers `GET /api/metrics` to admins and their tokens. */
export const metricsPlugin = fp<MetricsOptions>(
  async (app, { registry }) => {
    const duration = new Histogram({
      name: 'slipway_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer, by route.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: BUCKETS,
      registers: [registry],
    })
    app.addHook('onResponse', async (request, reply) => {
      // The route's pattern, not the address: with addresses a client could create any number of labels.
      const labels = { method: request.method, route: routeOf(request), status: reply.statusCode }
      duration.observe(labels, reply.elapsedTime / SECOND_MS)
    })
    const schema = {
      tags: ['metrics'],
      summary: 'Figures in the text format of Prometheus',
      response: { 200: { content: { 'text/plain; version=0.0.4': { schema: Type.String() } } } },
    }
    app.get('/api/metrics', { config: { action: 'metrics.read', quiet: true }, schema }, async (_request, reply) => {
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  },
  { name: 'metrics', fastify: '5.x' },
)
