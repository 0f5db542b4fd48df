/** Preparations that exist in the database alone. */
import type { Database } from '../../../src/database/open.ts'

/** The agent begins with a repository that is cloned already, and is in this state. */
export const somePreparation = async (
  { prisma }: Pick<Database, 'prisma'>,
  agentId: string,
  state: string,
): Promise<void> => {
  const { ownerId } = await prisma.agent.findUniqueOrThrow({ where: { id: agentId } })
  const userId = ownerId ?? (await prisma.user.findFirstOrThrow()).id
  const repository = { url: 'https://git.example.org/harbour/api.git', folder: 'api', isCloned: true }
  const of = { agentId, userId, via: 'user', viaId: userId, devcontainer: 'ask' }
  const offer = {
    ...{ path: '.devcontainer.json', problem: null, image: null, forwardPorts: [], unused: [] },
    containerEnv: [{ name: 'PORT', value: '3000', problem: null }],
    postCreateCommand: [{ name: null, command: 'npm ci' }],
  }
  await prisma.agentPreparation.create({ data: { ...of, ...repository, offer, state } })
}
