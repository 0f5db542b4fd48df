/** Skills: instructions of the platform, of users, of agents and of repositories, for the prompts that call for them. */
import type { FastifyPluginAsync } from 'fastify'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import { agentSkillRoutes } from './agent-routes.ts'
import { SkillImport } from './read/import.ts'
import { RepositorySkills } from './read/repository-skills.ts'
import { SkillRepository } from './repository.ts'
import { skillRoutes } from './routes.ts'
import { SkillService } from './service.ts'
import { TaskSkills } from './task-skills.ts'

/** What {@link createSkills} needs. */
export interface SkillModuleDeps {
  readonly prisma: Database['prisma']
  readonly audit: Audit
  readonly runtime: ContainerRuntime
  readonly agents: Pick<Agents, 'agents'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

export const createSkills = ({ prisma, audit, runtime, agents: { agents }, clock, newId, log }: SkillModuleDeps) => {
  const repository = new SkillRepository(prisma, audit)
  const brought = new RepositorySkills({ runtime, log })
  const skills = new SkillService({ repository, brought, clock, newId })
  const imports = new SkillImport({ runtime, agents, audit })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(skillRoutes, { agents, skills })
    await api.register(agentSkillRoutes, { agents, skills, imports })
  }
  return { routes, ofTasks: new TaskSkills({ skills, runtime, log }) }
}

export type Skills = ReturnType<typeof createSkills>
