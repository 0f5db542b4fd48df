/** Wires the module together. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Database } from '../../database/open.ts'
import type { Log } from '../../lib/log.ts'
import type { Agents } from '../agents/agents.ts'
import { requireVisitor } from '../asks/visitor.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Authenticator } from '../identity/authenticate.ts'
import { QUESTION_BYTES } from './question.ts'
import { GitSessionRepository } from './repository.ts'
import { GitAccess } from './service.ts'

interface Deps {
  readonly prisma: Database['prisma']
  readonly agents: Pick<Agents, 'repository'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly authenticator: Authenticator
  readonly log: Log
}

/** What the credential helper of git in an agent asks over the relay, without a token. */
export const createGitAccess = ({ prisma, agents, credentials, authenticator, log }: Deps) => {
  const access = new GitAccess({
    ...{ agents: agents.repository, sessions: new GitSessionRepository(prisma) },
    ...{ authenticator, provisioner: credentials.provisioner, log },
  })
  /** What the inner door has of it. */
  const inner: FastifyPluginAsyncTypebox = async (api) => {
    api.post(
      '/git-credential',
      {
        config: { visitors: true },
        bodyLimit: QUESTION_BYTES,
        schema: { body: Type.String(), response: { 200: Type.String() } },
      },
      async (request, reply) => {
        const answer = await access.answer(requireVisitor(request), request.body)
        return reply.type('text/plain').header('cache-control', 'no-store').send(answer)
      },
    )
  }
  return { inner }
}
