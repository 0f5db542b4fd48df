/** What an agent decides about skills: which of them its tasks get. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FoundSkills, ImportSkills, PreviewSkills, SkillPreview, SkillSettings } from '@slipway/protocol'
import { onAgent } from '../agents/on-agent.ts'
import type { AgentService } from '../agents/service.ts'
import { requireCaller } from '../identity/require-caller.ts'
import { folderOf } from '../sessions/start/folder.ts'
import type { SkillImport } from './read/import.ts'
import type { SkillService } from './service.ts'

/** Options of {@link agentSkillRoutes}. */
export interface AgentSkillRouteOptions {
  readonly agents: Pick<AgentService, 'require' | 'requireSystem' | 'snapshot'>
  readonly skills: SkillService
  readonly imports: SkillImport
}

const TAGS = ['skills']
/** Largest body of a preview, in bytes: the longest prompt, with each character escaped. */
const BODY_BYTES = 6 * 1_048_576 + 65_536

export const agentSkillRoutes: FastifyPluginAsyncTypebox<AgentSkillRouteOptions> = async (
  app,
  { agents, skills, imports },
) => {
  onAgent(agents, ({ base, isSystem, route, find }) => {
    const of = isSystem ? 'the system agent' : 'an agent'
    app.post(
      `${base}/skills-preview`,
      {
        bodyLimit: BODY_BYTES,
        ...route('agent.files', {
          tags: TAGS,
          summary: `Preview which skills a prompt gets in ${of}`,
          description:
            'Of all skills that a task of yours may get: whether it gets them, why, and what they cost in characters. If the ' +
            'agent runs and its settings say so, those of the repository in the folder `cwd`, too. The folder is checked as ' +
            'that of a task.',
          body: PreviewSkills,
          response: { 200: SkillPreview },
        }),
      },
      async (request) => {
        const { row } = await find(request)
        const { prompt, cwd } = request.body
        const { userId } = requireCaller(request)
        const containerId = agents.snapshot(row).runningId
        return skills.preview({ userId, agentId: row.id, prompt, cwd: folderOf(cwd), containerId })
      },
    )

    app.post(
      `${base}/skills-import`,
      route('agent.files', {
        tags: TAGS,
        summary: `Read the skills of a folder or of a git repository in ${of}`,
        description:
          'A folder of the home, or a repository that the agent clones without any credential and then removes. Answers what ' +
          'was found, with what is wrong with each. Nothing is stored: set those that you want.',
        body: ImportSkills,
        response: { 200: FoundSkills },
      }),
      async (request) => imports.read(await find(request), request.body),
    )

    app.get(
      `${base}/skill-settings`,
      route('agent.files', {
        tags: TAGS,
        summary: `How the tasks of ${of} get skills`,
        response: { 200: SkillSettings },
      }),
      async (request) => skills.settings((await find(request)).row.id),
    )

    app.put(
      `${base}/skill-settings`,
      route('agent.variables', {
        tags: TAGS,
        summary: `Set how the tasks of ${of} get skills`,
        body: SkillSettings,
        response: { 200: SkillSettings },
      }),
      async (request) => {
        const { id, name } = (await find(request)).row
        const holder = { owner: { type: 'agent', id }, name } as const
        return skills.setSettings(requireCaller(request), holder, id, request.body)
      },
    )
  })
}
