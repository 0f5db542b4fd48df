/** `/api/prompt-templates`: those that a user may begin tasks with. Admins change the platform's below `/api/platform`. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CreatePromptTemplate,
  PromptTemplate,
  TEMPLATE_SHOWN,
  TEMPLATES_MAX,
  UpdatePromptTemplate,
} from '@slipway/protocol'
import Type from 'typebox'
import { addDeletion, ById } from '../identity/deletion.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { TemplateService } from './service.ts'

interface Parts {
  readonly service: TemplateService
}

/** Largest body of a request, in bytes: each character of a prompt may be escaped. */
const BODY_BYTES = 512 * 1024
const BASE = '/prompt-templates'
const tags = ['tasks']
const params = ById

export const templateRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { service }) => {
  app.get(
    BASE,
    {
      config: { action: 'templates.list' },
      schema: {
        tags,
        summary: 'List prompt templates',
        description: `Yours and those of the platform, by name. Prompts have ${TEMPLATE_SHOWN} characters at most.`,
        response: { 200: Type.Array(PromptTemplate) },
      },
    },
    async (request) => service.list(requireCaller(request)),
  )

  app.get(
    `${BASE}/:id`,
    {
      config: { action: 'templates.list' },
      schema: {
        tags,
        summary: 'Get a template of a prompt',
        description: 'Yours or the platform’s, with its whole prompt.',
        params,
        response: { 200: PromptTemplate },
      },
    },
    async (request) => service.get(requireCaller(request), request.params.id),
  )

  for (const [base, whose, action, of] of [
    [BASE, 'user', 'templates.manage', 'yours'],
    [`/platform${BASE}`, 'platform', 'templates.platform', 'the platform’s'],
  ] as const) {
    app.post(
      base,
      {
        bodyLimit: BODY_BYTES,
        config: { action },
        schema: {
          tags,
          summary: `Create a template of a prompt (${of})`,
          description: `\`{{ticket}}\` in it stands for a field. There may be ${TEMPLATES_MAX}, each with a name of its own.`,
          body: CreatePromptTemplate,
          response: { 201: PromptTemplate },
        },
      },
      async (request, reply) => reply.code(201).send(await service.create(requireCaller(request), whose, request.body)),
    )

    app.patch(
      `${base}/:id`,
      {
        bodyLimit: BODY_BYTES,
        config: { action },
        schema: {
          tags,
          summary: `Change a template of a prompt (${of})`,
          description: 'Fields that are missing stay as they are.',
          params,
          body: UpdatePromptTemplate,
          response: { 200: PromptTemplate },
        },
      },
      async (request) => service.change(requireCaller(request), whose, request.params.id, request.body),
    )

    addDeletion(
      app,
      { path: `${base}/:id`, action, tags, summary: `Delete a template of a prompt (${of})` },
      (caller, id) => service.remove(caller, whose, id),
    )
  }
}
