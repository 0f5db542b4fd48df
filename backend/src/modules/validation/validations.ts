/** Wires the module together. */
import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { MINUTE_MS } from '../../lib/time/clock.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import type { Agents } from '../agents/agents.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { createExecs } from '../exec/execs.ts'
import type { Runs } from '../runs/runs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { ValidationMetrics } from './metrics.ts'
import { ValidationRepository } from './repository.ts'
import { validationRoutes } from './routes.ts'
import { ValidationRunner } from './runner.ts'
import { type ValidationDeps, ValidationService } from './service.ts'
import { Validator, type ValidatorDeps } from './validator.ts'

/**
 * Time between two looks for tasks that wait for their validation, in milliseconds. The end of a task leads to a look at
 * once; this finds what an outage of the database left.
 */
const LOOK_EVERY_MS = MINUTE_MS

/** What {@link createValidations} needs. */
export interface ValidationModuleDeps
  extends Pick<ValidatorDeps, 'runtime'>, Pick<ValidationDeps, 'audit' | 'newId' | 'clock' | 'log'> {
  readonly config: { readonly dataDir: string }
  readonly prisma: Database['prisma']
  readonly metrics: Registry
  readonly agents: Pick<Agents, 'agents'>
  readonly credentials: Pick<Credentials, 'provisioner'>
  readonly sessions: Pick<Sessions, 'reinstate' | 'recovery'>
  readonly execs: Pick<ReturnType<typeof createExecs>, 'service'>
  readonly runs: Pick<Runs, 'runs' | 'news' | 'gates' | 'ended'>
  readonly onListenerError: (error: unknown) => void
}

/** The builds and the tests of a project, after a task. */
export const createValidations = (deps: ValidationModuleDeps) => {
  const { config, prisma, agents, credentials, sessions, execs, runs, log, onListenerError } = deps
  const validator = new Validator({
    ...deps,
    execs: execs.service,
    agents: agents.agents,
    provisioner: credentials.provisioner,
    folder: join(config.dataDir, 'transcripts'),
  })
  const repository = new ValidationRepository(prisma)
  const validations = new ValidationService({
    ...deps,
    metrics: new ValidationMetrics(deps.metrics),
    runs: runs.runs,
    transcripts: runs.ended,
    repository,
    runner: new ValidationRunner({ validator, repository, log }),
    reinstate: sessions.reinstate,
    recovered: sessions.recovery.listed,
    freed: () => void sweeper.sweep(),
  })
  runs.gates.handle((asked) => validations.judge(asked))
  let interrupted = false
  const sweeper = new Sweeper({
    steps: [
      async () => {
        if (!interrupted) await validations.interrupt()
        interrupted = true
        await validations.look()
      },
    ],
    everyMs: LOOK_EVERY_MS,
    onFailure: (error) => log.error({ err: error }, 'validations not looked for'),
  })
  runs.news.on(({ event }) => {
    if (event.type === 'coding-agent:session:exit') void sweeper.sweep()
  })
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(validationRoutes, { validations })
  }
  return {
    routes,
    /** The last validation of a task, or null. Throws like {@link ValidationService.get}. */
    of: validations.get.bind(validations),
    // Not awaited, because it takes as long as the engine does.
    start: async (): Promise<void> => {
      void sessions.recovery.listed.then(() => sweeper.start()).catch(onListenerError)
    },
    end: async (): Promise<void> => {
      // Begun before a wait: a validation whose command is ended by the execs first would count as not started.
      const stopped = validations.stop()
      await sweeper.stop()
      await stopped
      // Those that the last round had begun.
      await validations.stop()
    },
  }
}
