/** `/api/cli-providers`: the custom providers of a user. `/api/coding-agents/status`: what an agent has. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CLI_PROVIDERS_MAX,
  CliProvider,
  CliProviderTest,
  CodingAgentStatus,
  CodingAgentTest,
  CreateCliProvider,
  InAgent,
  TestCodingAgent,
  UpdateCliProvider,
} from '@slipway/protocol'
import Type from 'typebox'
import { addDeletion, ById } from '../../identity/deletion.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { ProviderService } from './service.ts'
import type { StatusService } from './status.ts'

interface Parts {
  readonly service: ProviderService
  readonly status: StatusService
}

const BASE = '/cli-providers'
const tags = ['tasks']
const params = ById
const NOT_RUNNING = 'The agent must run.'

export const cliProviderRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service, status }) => {
  app.get(
    BASE,
    {
      config: { action: 'providers.list' },
      schema: { tags, summary: 'Your custom providers', response: { 200: Type.Array(CliProvider) } },
    },
    async (request) => service.list(requireCaller(request)),
  )

  app.post(
    BASE,
    {
      config: { action: 'providers.manage' },
      schema: {
        tags,
        summary: 'Create a custom provider',
        description: `A coding CLI of your own. A task names it \`custom:{name}\`. A user may have ${CLI_PROVIDERS_MAX}.`,
        body: CreateCliProvider,
        response: { 201: CliProvider },
      },
    },
    async (request, reply) => reply.code(201).send(await service.create(requireCaller(request), request.body)),
  )

  app.put(
    `${BASE}/:id`,
    {
      config: { action: 'providers.manage' },
      schema: {
        tags,
        summary: 'Change a custom provider',
        description: 'Fields that are missing stay as they are. Active tasks go on with what they started with.',
        params,
        body: UpdateCliProvider,
        response: { 200: CliProvider },
      },
    },
    async (request) => service.change(requireCaller(request), request.params.id, request.body),
  )

  addDeletion(
    app,
    {
      path: `${BASE}/:id`,
      action: 'providers.manage',
      tags,
      summary: 'Delete a custom provider',
      description: 'Active tasks go on.',
    },
    (caller, id) => service.remove(caller, id),
  )

  app.post(
    `${BASE}/:id/test`,
    {
      config: { action: 'task.start' },
      schema: {
        tags,
        summary: 'Whether an agent has the program of a custom provider',
        description: `Runs the program there with \`--version\`. ${NOT_RUNNING}`,
        params,
        body: InAgent,
        response: { 200: CliProviderTest },
      },
    },
    async (request) => status.custom(requireCaller(request), request.params.id, request.body.agent),
  )

  app.get(
    '/coding-agents/status',
    {
      config: { action: 'task.view' },
      schema: {
        tags,
        summary: 'The coding CLIs of an agent',
        description: `Every built-in provider, and your active custom ones: whether the agent has it, its version, and whether a task of yours would have a key. ${NOT_RUNNING}`,
        querystring: InAgent,
        response: { 200: Type.Array(CodingAgentStatus) },
      },
    },
    async (request) => status.all(requireCaller(request), request.query.agent),
  )

  app.post(
    '/coding-agents/test',
    {
      config: { action: 'task.start' },
      schema: {
        tags,
        summary: 'Whether an agent can run tasks of a provider',
        description: `Runs the CLI there with \`--version\`. ${NOT_RUNNING}`,
        body: TestCodingAgent,
        response: { 200: CodingAgentTest },
      },
    },
    async (request) => status.one(requireCaller(request), request.body),
  )
}
