/** What coding CLIs would use to sign in, in an existing agent and in a new one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CliAccess, Page } from '@slipway/protocol'
import { onAgent } from '../../agents/on-agent.ts'
import type { AgentService } from '../../agents/service.ts'
import { requireCaller } from '../../identity/require-caller.ts'
import type { CliAccessService } from './access.ts'

interface Parts {
  readonly agents: AgentService
  readonly access: CliAccessService
}

export const cliAccessRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, { agents, access }) => {
  const schema = { tags: ['credentials'], response: { 200: Page(CliAccess) } }
  const inAgent = {
    ...schema,
    summary: 'What each coding CLI has to work with in a terminal that you open now',
    description:
      'A saved credential, or a sign-in of its own in the home. The home says only whether there is one, and only while the agent runs.',
  }
  onAgent(agents, ({ base, route, find }) => {
    app.get(`${base}/cli-access`, route('agent.view', inAgent), async (request) => {
      const { caller, row } = await find(request)
      return { items: await access.inAgent(caller, row), nextCursor: null }
    })
  })
  app.get(
    '/users/me/cli-access',
    {
      config: { action: 'account.credentials' },
      schema: { ...schema, summary: 'What each coding CLI would have to work with in a new agent of mine' },
    },
    async (request) => ({ items: await access.inNewAgent(requireCaller(request)), nextCursor: null }),
  )
}
