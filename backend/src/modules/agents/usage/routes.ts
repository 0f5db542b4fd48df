/** Logs and figures, for agents by name and for the system agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AgentStats, AgentStatsHistory, LOG_TAIL_DEFAULT, LOG_TAIL_MAX, StatsSpan } from '@slipway/protocol'
import Type from 'typebox'
import { requireArrival } from '../../access/plugin.ts'
import type { AgentFigures } from './figures.ts'
import { onAgent } from '../on-agent.ts'
import type { AgentService } from '../service.ts'

const tail = Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_TAIL_MAX, default: LOG_TAIL_DEFAULT }))
const LogQuery = Type.Object({ tail }, { additionalProperties: false })
const FollowQuery = Type.Object(
  {
    tail,
    /** The `at` of the last line that the client has. */
    since: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{9}Z$' })),
  },
  { additionalProperties: false },
)
const Logs = Type.Object({ text: Type.String() })
const SpanQuery = Type.Object({ minutes: Type.Optional(StatsSpan) }, { additionalProperties: false })
/** In minutes. */
const SPAN_DEFAULT = 15

/** Turns off buffering in a proxy (nginx), which would hold the lines back. */
const NDJSON_HEADERS = {
  'content-type': 'application/x-ndjson',
  'x-accel-buffering': 'no',
}

interface Parts {
  readonly agents: AgentService
  readonly figures: AgentFigures
}

export const figureRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, figures }) => {
  onAgent(agents, ({ base, isSystem, route, find }) => {
    const tags = [isSystem ? 'system agent' : 'agents']

    app.get(
      `${base}/logs`,
      route('agent.view', {
        tags,
        summary: "The end of its container's log",
        querystring: LogQuery,
        response: { 200: Logs },
      }),
      async (request) => ({ text: await figures.logs(await find(request), request.query.tail ?? LOG_TAIL_DEFAULT) }),
    )

    const follow = route('agent.view', {
      tags,
      summary: 'Follow its log and the events of the agent',
      description:
        'NDJSON (`application/x-ndjson`), one entry per line: `{at, source, kind?, text}`. First the end of the log, then new lines. An empty line is a heartbeat.',
      querystring: FollowQuery,
    })
    app.get(`${base}/logs/follow`, { ...follow, exposeHeadRoute: false }, async (request, reply) => {
      const { tail = LOG_TAIL_DEFAULT, since = null } = request.query
      const stream = figures.follow(await find(request), requireArrival(request), { tail, since })
      return reply.headers(NDJSON_HEADERS).send(stream)
    })
    // The automatic HEAD route would follow the log, too, and never answer.
    app.head(`${base}/logs/follow`, { ...follow, schema: { ...follow.schema, hide: true } }, async (request, reply) => {
      await find(request)
      return reply.headers(NDJSON_HEADERS).send()
    })

    app.get(
      `${base}/stats`,
      route('agent.view', {
        tags,
        summary: 'Its current use of CPU, memory, network and disk',
        response: { 200: AgentStats },
      }),
      async (request) => figures.stats(await find(request)),
    )

    app.get(
      `${base}/stats/history`,
      route('agent.view', {
        tags,
        summary: 'Its use over the last minutes or hours',
        description: 'Kept in memory since the server started. Null: the agent did not run at that time.',
        querystring: SpanQuery,
        response: { 200: AgentStatsHistory },
      }),
      async (request) => figures.history(await find(request), request.query.minutes ?? SPAN_DEFAULT),
    )
  })
}
