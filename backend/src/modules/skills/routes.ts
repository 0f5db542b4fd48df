/** Skills of an agent, of a user and of the platform: set, listed, switched, removed and checked. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CheckSkill,
  Page,
  SetSkill,
  Skill,
  SkillCheck,
  SkillName,
  SKILLS_MAX,
  SwitchSkill,
  WholeSkill,
} from '@slipway/protocol'
import type { FastifyRequest, FastifySchema } from 'fastify'
import Type, { type TProperties } from 'typebox'
import type { Action } from '../access/policy.ts'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import { type Holder, PLATFORM_HOLDER } from '../credentials/owner.ts'
import { requireCaller } from '../identity/require-caller.ts'
import type { SkillService } from './service.ts'

/** Options of {@link skillRoutes}. */
export interface SkillRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem'>
  readonly skills: SkillService
}

/** The address of the skills of one owner. */
interface Collection {
  readonly path: string
  readonly whose: string
  options(mode: 'read' | 'write', schema: FastifySchema, params?: TProperties): { config: { action: Action } }
  /** Throws the error for a caller who may not. */
  locate(request: FastifyRequest): Promise<Holder>
}

/** Largest body of a request, in bytes: each character of a text may be escaped. */
const BODY_BYTES = 512 * 1024
const TAGS = ['skills']
const ONE = { skill: SkillName }
const nameOf = (request: FastifyRequest): string => (request.params as { skill: string }).skill

const optionsFor =
  (read: Action, write: Action): Collection['options'] =>
  (mode, schema, params) => ({
    config: { action: mode === 'read' ? read : write },
    schema: params === undefined ? schema : { ...schema, params: Type.Object(params) },
  })

const collectionsOf = (agents: SkillRouteOptions['agents']): Collection[] => {
  const collections: Collection[] = [
    {
      path: '/users/me/skills',
      whose: 'My',
      options: optionsFor('skills.list', 'skills.manage'),
      locate: async (request) => {
        const { userId, email } = requireCaller(request)
        return { owner: { type: 'user', id: userId }, name: email }
      },
    },
    {
      path: '/platform/skills',
      whose: "The platform's",
      options: optionsFor('skills.list', 'skills.platform'),
      locate: async () => PLATFORM_HOLDER,
    },
  ]
  onAgent(agents, ({ base, isSystem, route, find }) => {
    collections.push({
      path: `${base}/skills`,
      whose: isSystem ? "The system agent's" : "An agent's",
      // Like a variable, it decides what the agent's programs do. Those who may start tasks may read what tasks get.
      options: (mode, schema, params) => route(mode === 'read' ? 'agent.files' : 'agent.variables', schema, params),
      locate: async (request) => {
        const { row } = await find(request)
        return { owner: { type: 'agent', id: row.id }, name: row.name }
      },
    })
  })
  return collections
}

export const skillRoutes: FastifyPluginAsyncTypebox<SkillRouteOptions> = async (app, { agents, skills }) => {
  app.post(
    '/skills/check',
    {
      bodyLimit: BODY_BYTES,
      config: { action: 'skills.list' },
      schema: {
        tags: TAGS,
        summary: 'Check a skill',
        description:
          'What is wrong with each field, and what the skill takes of the budget of a prompt. Nothing is stored.',
        body: CheckSkill,
        response: { 200: SkillCheck },
      },
    },
    async (request) => skills.check(request.body),
  )

  for (const { path, whose, options, locate } of collectionsOf(agents)) {
    const of = whose.toLowerCase()
    app.get(
      path,
      options('read', { tags: TAGS, summary: `${whose} skills, without their texts`, response: { 200: Page(Skill) } }),
      async (request) => ({ items: await skills.list((await locate(request)).owner), nextCursor: null }),
    )

    app.get(
      `${path}/:skill`,
      options('read', { tags: TAGS, summary: `Get a skill (${of})`, response: { 200: WholeSkill } }, ONE),
      async (request) => skills.get((await locate(request)).owner, nameOf(request)),
    )

    app.put(
      `${path}/:skill`,
      {
        bodyLimit: BODY_BYTES,
        ...options(
          'write',
          {
            tags: TAGS,
            summary: `Set or replace a skill (${of})`,
            description:
              'A `SKILL.md` with front matter, whose `name` is that of the address, and further files. Tasks that start ' +
              `afterwards get it, if their prompts call for it. There may be ${SKILLS_MAX} skills. Another skill of this name ` +
              'is replaced only with `replace`; otherwise the answer is 409 `NAME_TAKEN`.',
            body: SetSkill,
            response: { 200: Skill },
          },
          ONE,
        ),
      },
      async (request) =>
        skills.set(requireCaller(request), await locate(request), nameOf(request), request.body as SetSkill),
    )

    app.patch(
      `${path}/:skill`,
      options(
        'write',
        {
          tags: TAGS,
          summary: `Switch a skill on or off (${of})`,
          description: 'Active tasks keep what they started with.',
          body: SwitchSkill,
          response: { 200: Skill },
        },
        ONE,
      ),
      async (request) => {
        const { enabled } = request.body as SwitchSkill
        return skills.switch(requireCaller(request), await locate(request), nameOf(request), enabled)
      },
    )

    app.delete(
      `${path}/:skill`,
      options(
        'write',
        {
          tags: TAGS,
          summary: `Remove a skill (${of})`,
          description: 'Active tasks keep what they started with.',
          response: { 204: Type.Null() },
        },
        ONE,
      ),
      async (request, reply) => {
        await skills.remove(requireCaller(request), await locate(request), nameOf(request))
        return reply.code(204).send(null)
      },
    )
  }
}
