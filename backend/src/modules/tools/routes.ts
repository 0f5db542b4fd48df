/** `/api/mcp`: the tools, over MCP (Streamable HTTP). */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { RequireOwnOrigin } from '../../plugins/origin.ts'
import { requireVisitor } from '../asks/visitor.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { RUN_BODY_BYTES } from '../runs/routes.ts'
import { createServer, type ServerDeps } from './server.ts'

interface Parts extends ServerDeps {
  readonly requireOwnOrigin: RequireOwnOrigin
  /** Whether programs in agents may come without a token: they get the tools that need none. */
  readonly visitors: boolean
}

/** The headers that the protocol reads. All others, with the token, stay here. */
const READ = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
/** What a client accepts that does not say it (RFC 9110, 12.5.1). The protocol wants both of them named. */
const ANY_ANSWER = 'application/json, text/event-stream'
/** The headers of the protocol's answer. The server's own say how it may be kept. */
const ANSWERED = ['content-type', 'allow', 'x-accel-buffering']

/** One message. A list of them would start any number of tasks, and newer clients do not send it. */
const Message = Type.Object({ jsonrpc: Type.Literal('2.0') }, { additionalProperties: true })

export const mcpRoutes: FastifyPluginAsync<Parts> = async (app, { requireOwnOrigin, visitors, ...deps }) => {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const from = visitors
      ? { caller: request.caller, visitor: requireVisitor(request) }
      : { caller: requireCaller(request), visitor: null }
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const handler = createMcpHandler(() => createServer(deps, from), {
      // Nothing that a client could subscribe to ever changes.
      maxSubscriptions: 0,
      onerror: (error) => deps.log.debug({ err: error }, 'a message of MCP was refused'),
    })
    const response = await handler.fetch(asWebRequest(request, left.signal), { parsedBody: request.body })
    for (const name of ANSWERED) {
      const value = response.headers.get(name)
      if (value !== null) void reply.header(name, value)
    }
    return reply.code(response.status).send(response.body ?? undefined)
  }

  const shared = {
    onRequest: requireOwnOrigin,
    config: { action: 'tools.use', ...(visitors && { visitors }) },
  } as const
  app.post(
    '/mcp',
    {
      ...shared,
      bodyLimit: RUN_BODY_BYTES,
      schema: {
        tags: ['tasks'],
        summary: 'Tools for other AIs, over MCP',
        description:
          'One JSON-RPC message of the Model Context Protocol (Streamable HTTP, revisions 2025-11-25 and 2026-07-28), without a session. The tools are `run_coding_task`, `list_coding_agents`, `get_task_result` and `list_task_results`.',
        body: Message,
        response: { 200: Message, 202: Type.Null(), 404: Message, 406: Message },
      },
    },
    answer,
  )
  for (const [method, summary] of [
    ['GET', 'No stream without a call'],
    ['DELETE', 'No session to end'],
  ] as const) {
    const description = 'The answer is 405: clients of the revision 2025-11-25 ask for it, and go on without it.'
    const schema = { tags: ['tasks'], summary, description, response: { 204: Type.Null(), 405: Message } }
    app.route({ ...shared, method, url: '/mcp', schema, handler: answer })
  }
}

const asWebRequest = ({ method, url, headers }: FastifyRequest, signal: AbortSignal): Request => {
  const read = new Headers({ accept: ANY_ANSWER })
  for (const name of READ) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '*/*') read.set(name, value)
  }
  // Only the path is read. The body has been parsed.
  return new Request(new URL(url, 'http://localhost'), { method, headers: read, signal })
}
