/** `/api/coding-agents`: runs of coding CLIs, which the API calls sessions. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CodingResult,
  CodingResults,
  ResultsQuery,
  CodingSession,
  CodingSessionOutput,
  CreateCodingSession,
  RunAndWait,
  RUN_LISTED_SECONDS,
  RUNS_PER_USER,
  RunEventsQuery,
} from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Followers } from '../access/followers.ts'
import { requireArrival } from '../access/plugin.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { CONTENT_TYPE, eventStream, type StreamFormat } from './stream/event-stream.ts'
import { followEvents } from './conduct/follow.ts'
import { isInteractive } from './interactive/runs.ts'
import type { RunService } from './service.ts'

/** Largest body: the longest prompt after JSON escaping, in bytes. */
export const RUN_BODY_BYTES = 8 * 1_048_576
const BASE = '/coding-agents/sessions'
/** An invalid id gets the same answer as a missing session. */
const IdParams = Type.Object({ id: Type.String({ maxLength: 100 }) })
const Sessions = Type.Array(CodingSession)

interface Parts {
  readonly runs: RunService
  readonly followers: Followers
  /** The folder of the transcripts. */
  readonly folder: string
}

const tags = ['tasks']

export const runRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { runs, followers, folder }) => {
  /** Checks the right before a kept answer is replayed. */
  const mayStart = async (request: FastifyRequest): Promise<void> => {
    const { resourceId, body } = request
    if (resourceId !== undefined) await runs.checkAgain(requireCaller(request), body as CreateCodingSession, resourceId)
  }

  app.post(
    BASE,
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'task.start', idempotent: mayStart },
      schema: {
        tags,
        summary: 'Start a task',
        description: `Starts a coding CLI in an agent with this prompt, and answers when it runs: without a terminal, or with the CLI's own interface on your terminal (mode \`interactive\`). The task goes on when the client disconnects or the server ends. A user may have ${RUNS_PER_USER} active tasks.`,
        body: CreateCodingSession,
        response: { 201: CodingSession },
      },
    },
    async (request, reply) => {
      const { resourceId } = request
      const session = await runs.create(requireCaller(request), request.body, resourceId)
      return reply.code(201).send(session)
    },
  )

  app.get(
    BASE,
    {
      config: { action: 'tasks.list' },
      schema: {
        tags,
        summary: 'Your active tasks',
        description: `The newest comes first. The list also has tasks that ended in the last ${RUN_LISTED_SECONDS / 60} minutes.`,
        response: { 200: Sessions },
      },
    },
    async (request) => runs.list(requireCaller(request)),
  )

  app.get(
    `${BASE}/:id`,
    {
      config: { action: 'task.view' },
      schema: { tags, summary: 'A task', params: IdParams, response: { 200: CodingSession } },
    },
    async (request) => runs.get(requireCaller(request), request.params.id),
  )

  app.delete(
    `${BASE}/:id`,
    {
      config: { action: 'task.end' },
      schema: {
        tags,
        summary: 'End a task',
        description: 'Slipway interrupts the CLI, then ends it. The task keeps what the CLI has printed so far.',
        params: IdParams,
        response: { 202: CodingSession },
      },
    },
    async (request, reply) => reply.code(202).send(await runs.terminate(requireCaller(request), request.params.id)),
  )

  app.get(
    `${BASE}/:id/output`,
    {
      config: { action: 'task.view' },
      schema: {
        tags,
        summary: 'The end of the output of a task',
        params: IdParams,
        response: { 200: CodingSessionOutput },
      },
    },
    async (request) => runs.output(requireCaller(request), request.params.id),
  )

  app.post(
    '/coding-agents/run',
    {
      bodyLimit: RUN_BODY_BYTES,
      config: { action: 'task.start' },
      schema: {
        tags,
        summary: 'Run a task to its end',
        description:
          'Starts a task, and answers when it has ended: 200 if it completed, otherwise 422 with the result. If the client disconnects, the task goes on, and its result is under `/coding-agents/results`. With `mode: pty` the CLI runs on a terminal, and the result is what it printed, without control sequences.',
        body: RunAndWait,
        response: { 200: CodingResult, 422: CodingResult },
      },
    },
    async (request, reply) => {
      const result = await runs.run(requireCaller(request), request.body)
      return reply.code(result.success ? 200 : 422).send(result)
    },
  )

  app.get(
    '/coding-agents/results',
    {
      config: { action: 'tasks.list' },
      schema: {
        tags,
        summary: 'Results',
        description:
          'Lists your results, or with `by` also the results of other users in agents that you may see. The newest comes first. A result has the id of its session. With `q`, it lists results with words that begin with these words, in the first 10,000 characters of their prompt or of their answer.',
        querystring: ResultsQuery,
        response: { 200: CodingResults },
      },
    },
    async (request) => runs.results(requireCaller(request), request.query),
  )

  app.get(
    '/coding-agents/results/:id',
    {
      config: { action: 'task.view' },
      schema: { tags, summary: 'A result', params: IdParams, response: { 200: CodingResult } },
    },
    async (request) => runs.result(requireCaller(request), request.params.id),
  )

  const events = {
    config: { action: 'task.view' },
    schema: {
      tags,
      summary: 'The events of a task',
      description:
        'The answer is NDJSON (`application/x-ndjson`), one event per line, or server-sent events if the client accepts `text/event-stream`. While the task is active, further events follow. An empty line or a comment is a heartbeat. `Last-Event-ID` and `after` leave out earlier events.',
      params: IdParams,
      querystring: RunEventsQuery,
    },
  } as const
  app.get(`${BASE}/:id/events`, { ...events, exposeHeadRoute: false }, async (request, reply) => {
    const caller = requireCaller(request)
    const { id } = request.params
    const after = lastEventId(request) ?? request.query.after ?? 0
    const { run, live, found } = await runs.requireEvents(caller, id, after)
    const { signal, leave } = followers.enter(found ?? { caller, row: null, relation: null }, requireArrival(request))
    const format: StreamFormat = request.headers.accept?.includes(CONTENT_TYPE.sse) === true ? 'sse' : 'ndjson'
    const isEventless = isInteractive(run)
    const events = followEvents(folder, id, { caller, live, after, isEventless, left: signal })
    const stream = eventStream(events, format, leave)
    return reply.headers({ 'content-type': CONTENT_TYPE[format], 'x-accel-buffering': 'no' }).send(stream)
  })
  // The automatic HEAD route would follow the events, too, and never answer.
  app.head(`${BASE}/:id/events`, { ...events, schema: { ...events.schema, hide: true } }, async (request, reply) => {
    await runs.get(requireCaller(request), request.params.id)
    return reply.headers({ 'content-type': CONTENT_TYPE.ndjson }).send()
  })
}

/** The header that a browser's EventSource sends when it reconnects. */
const lastEventId = ({ headers }: FastifyRequest): number | null => {
  const id = headers['last-event-id']
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : null
}
