/** Wires the module together. */
import type { FastifyPluginAsync } from 'fastify'
import type { Agents } from '../agents/agents.ts'
import type { Audit } from '../audit/audit.ts'
import { GitReader } from './reader.ts'
import { gitRoutes } from './routes.ts'
import { GitRunner, type RunnerDeps } from './runner.ts'
import type { UserPrograms } from './hooks/asked.ts'
import { HookedGit } from './hooks/hooked-git.ts'
import { HookedWriter } from './hooks/writer.ts'
import { GitWriter } from './writer/writer.ts'

interface Deps extends Pick<RunnerDeps, 'runtime' | 'newId'> {
  readonly agents: Pick<Agents, 'activity' | 'agents'>
  readonly audit: Audit
  readonly programs: UserPrograms
}

/** The git repositories in the homes of agents: what is in them, and local changes. What goes to remotes is in `publish`. */
export const createGit = ({ agents, audit, programs, ...deps }: Deps) => {
  const runner = new GitRunner({ ...deps, agents: agents.agents })
  const reader = new GitReader(runner, agents.activity)
  const writer = new GitWriter({ runner, audit })
  const hooked = new HookedGit({ runner, programs })
  const withHooks = new HookedWriter({ hooked, audit })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(gitRoutes, { agents: agents.agents, reader, writer, withHooks })
  }
  return { routes, runner, hooked }
}
