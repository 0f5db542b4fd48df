/** `POST /exec` of an agent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ExecBody, ExecResult } from '@slipway/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../lib/errors.ts'
import { errorBodyOf } from '../../plugins/errors.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService, Locate } from '../agents/service.ts'
import { sourceOf } from '../audit/actor.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { bearerToken } from '../identity/bearer.ts'
import type { Caller } from '../identity/caller.ts'
import type { ExecService } from './service.ts'
import { NDJSON, ResultStream } from './stream.ts'

/** Largest body: the longest standard input after JSON escaping, and the arguments, in bytes. */
const BODY_LIMIT_BYTES = 4 * 1_048_576

interface Parts {
  readonly agents: AgentService
  readonly authenticator: Authenticator
  readonly execs: ExecService
}

const schema = {
  tags: ['exec'],
  description: [
    'Runs a program without a shell and without a terminal, and answers when it has ended. The answer has the last MiB of',
    'each output. If its time is over or the client disconnects, the server ends it like a closed terminal does: first a',
    'hang-up, then a kill. Its background processes end, too, unless they were detached (`nohup`, `setsid`).',
    `\n\nWith \`Accept: ${NDJSON}\` the outputs arrive as the program prints them, one JSON object on each line. Its type is`,
    '`stdout`, `stderr` or `alive` (every 15 s); the last line has the type `exit` or `error`.',
    '\n\nWith an `Idempotency-Key` the program continues if the client disconnects or the server restarts. A retry gets its',
    'result, with the last 64 KiB of each output.',
  ].join(' '),
  body: ExecBody,
  response: { 200: ExecResult },
} as const

export const execRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, authenticator, execs }) => {
  /** The caller now: the body may have taken a while. */
  const callerOf = async (request: FastifyRequest): Promise<Caller> => {
    const token = bearerToken(request)
    const caller = token === null ? null : await authenticator.authenticate(token, sourceOf(request))
    if (!caller) throw new AppError('UNAUTHENTICATED', 'Sign in first, or send a valid API token.')
    return caller
  }

  const perform = async (
    request: FastifyRequest<{ Body: ExecBody }>,
    reply: FastifyReply,
    locate: Locate,
  ): Promise<ExecResult> => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const waiting = { caller: () => callerOf(request), locate, left: left.signal }
    if (!wantsStream(request)) return execs.run(request.body, { ...waiting, resourceId: request.resourceId })
    // A stream is not stored, so a retry would get another response.
    if (request.resourceId !== undefined)
      throw new AppError('VALIDATION', `idempotency-key: not allowed with a response of ${NDJSON}`)

    const stream = new ResultStream()
    const { promise: started, resolve } = Promise.withResolvers<null>()
    const result = execs.run(request.body, {
      ...waiting,
      onStart: (program) => {
        stream.started(program)
        resolve(null)
      },
      onOutput: (from, chunk) => stream.output(from, chunk),
    })
    result.then(
      (end) => stream.finish(end),
      (error: unknown) => stream.fail(errorBodyOf(error)),
    )
    try {
      await Promise.race([started, result])
    } catch (error) {
      stream.destroy()
      throw error
    }
    // The route types allow one kind of answer for each status.
    return reply.type(NDJSON).send(stream) as never
  }

  onAgent(agents, ({ base, isSystem, route, find, locate }) => {
    const summary = isSystem ? 'Run a program in the system agent' : 'Run a program in it'
    const { config, ...options } = route('terminal.open', { ...schema, summary })
    app.post(
      `${base}/exec`,
      { bodyLimit: BODY_LIMIT_BYTES, config: { ...config, idempotent: find }, ...options },
      (request, reply) => perform(request, reply, locate(request)),
    )
  })
}

const wantsStream = ({ headers }: FastifyRequest): boolean => headers.accept?.includes(NDJSON) ?? false
