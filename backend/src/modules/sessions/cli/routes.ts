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
    summary: 'How each coding CLI would be signed in, in a terminal that you open now',
    description: 'By a saved credential, or by a sign-in in the home. The home is checked only while the agent runs.',
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
      schema: { ...schema, summary: 'How each coding CLI would be signed in, in a new agent of mine' },
    },
    async (request) => ({ items: await access.inNewAgent(requireCaller(request)), nextCursor: null }),
  )
}
