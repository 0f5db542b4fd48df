/** Wires the module together. */
import { join } from 'node:path'
import type { RunHappening } from '@slipway/protocol'
import type { FastifyPluginAsync } from 'fastify'
import { Signal } from '../../lib/emitter.ts'
import { Followers } from '../access/followers.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import { type OpenProgram, Programs } from '../sessions/programs.ts'
import { RUN_MODE } from '../sessions/records/records.ts'
import type { Standing } from '../sessions/recovery/reinstate.ts'
import { createCliProviders } from './cli-providers/cli-providers.ts'
import { RunHolder, type Untaken } from './conduct/holder.ts'
import { Gates } from './gate/gates.ts'
import { GateRepository } from './gate/repository.ts'
import { BudgetRepository } from './ledger/budget-repository.ts'
import { ReportRepository } from './ledger/report-repository.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { LedgerService } from './ledger/service.ts'
import { Spending } from './ledger/spending.ts'
import { RunKeyboard } from './interactive/keyboard.ts'
import { TerminalEnds } from './interactive/repository.ts'
import { InteractiveRuns } from './interactive/runs.ts'
import { keyboardRoutes } from './interactive/routes.ts'
import { RunConversations } from './lease/continue.ts'
import { Leases } from './lease/leases.ts'
import { LeaseRepository } from './lease/repository.ts'
import { continueRoutes } from './lease/routes.ts'
import { type LeftEnd, type LeftRun, LeftRuns } from './left-runs.ts'
import { RunLine } from './line/line.ts'
import { LineRepository } from './line/repository.ts'
import { LiveRuns } from './live-runs.ts'
import type { RunModuleDeps } from './module-deps.ts'
import { RunMetrics, type UnendedTasks } from './metrics.ts'
import { taskLimit } from './start/limit.ts'
import { RunPlanner } from './start/plan.ts'
import { RunRepository } from './repository.ts'
import { ResultRepository } from './search/repository.ts'
import { runRoutes } from './routes.ts'
import { createComparisons } from './compare/comparisons.ts'
import { createSchedules } from './schedules/schedules.ts'
import { RunService } from './service.ts'
import { RunStarter } from './start/starter.ts'
import { runNews } from './stream/news.ts'
import { FOLLOWED_PER_USER, runCorrespondent } from './stream/subscriptions.ts'
import { ProgramQuestions } from './people/program-questions.ts'
import { createReview } from './changes/review/create.ts'
import { StallWatch } from './stall/watch.ts'
import { runSweeper } from './sweeper.ts'
import { EndedTranscripts } from './transcript/ended.ts'
import { TranscriptKeeper } from './transcript/keeper.ts'

/** Runs of coding CLIs without a terminal. */
export const createRuns = (deps: RunModuleDeps) => {
  const { config, prisma, jobs, audit, runtime, losses, clock, newId, log, onListenerError } = deps
  const { activity, agents, repository: agentRows, leaving, board } = deps.agents
  const { records, attendance, recovery, reinstate, approvals, homes } = deps.sessions
  const { provisioner, wasSet } = deps.credentials
  const folder = join(config.dataDir, 'transcripts')
  const repository = new RunRepository(prisma, deps.outbox)
  const budgets = new BudgetRepository(prisma, audit)
  const spending = new Spending({ repository: budgets, clock, log })
  const lineRows = new LineRepository(prisma, deps.outbox)
  const lives = new LiveRuns()
  const mayStill = (run: Standing) => reinstate(run, 'task.start')
  const programs = new Programs(losses, taskLimit(config))
  const followers = new Followers(losses, { perUser: FOLLOWED_PER_USER, what: 'tasks' })
  const news = new Signal<AgentNews>(onListenerError)
  const tell = runNews(news)
  const changes = { runtime, repository, folder, log, over: deps.places.look }
  /** The end of a run without a program. */
  const endedLeft = (run: LeftRun, end: LeftEnd): void => {
    metrics.ended(run.provider, end)
    lives.over(run.id)
    void deps.skills.ofTasks.ended(run.id)
    if (run.agentId !== null) tell.end(run.agentId, run, end)
  }
  const unended = (): Promise<UnendedTasks[]> =>
    lineRows.unended().catch((error: unknown) => {
      log.warn({ err: error }, 'tasks could not be counted')
      return []
    })
  const working = ({ row, sessionId }: OpenProgram, isAtWork: boolean): void =>
    activity.taskWorks(row.id, sessionId, isAtWork)
  const questions = new ProgramQuestions(onListenerError)
  const untaken = new Signal<Untaken>(onListenerError)
  const gates = new Gates()
  const metrics = new RunMetrics(deps.metrics, () => holder.size, unended)
  const stalls = new StallWatch({
    runtime,
    running: (agentId) => board.get(agentId).runningId,
    stallMs: config.taskStallMs,
    log,
  })
  const holder: RunHolder = new RunHolder({
    programs: {
      over: (open) => {
        programs.over(open)
        working(open, false)
        line.look()
      },
      release: (open) => {
        programs.release(open)
        line.look()
      },
    },
    ...{ records, repository, line: lineRows, gates, repairs: new GateRepository(prisma), stalls, lives, folder },
    ...{ provisioner, clock, log, metrics, untaken },
    left: (held) => {
      void keeper.pack(held)
      line.look()
    },
    spending,
    waits: ({ open, held, live }, until) => {
      tell.state(open.row.id, live, 'waiting')
      line.waits(held.id, until).catch(onListenerError)
    },
    // Its next process starts when nothing of this one is left.
    repaired: ({ open, live }) => tell.state(open.row.id, live, 'queued'),
    dialogs: deps.dialogs,
    questions,
    asking: ({ open, live }, isWaiting) => tell.state(open.row.id, live, isWaiting ? 'waiting' : 'running'),
    working,
    ended: ({ open, held, live, provider }, end) => {
      metrics.ended(provider, end)
      void deps.skills.ofTasks.ended(held.id)
      tell.end(open.row.id, live, end)
    },
  })
  const keeper = new TranscriptKeeper({
    folder,
    repository,
    keeping: { days: config.transcriptsDays, totalBytes: config.transcriptsBytes },
    isHeld: (id) => holder.conductorOf(id) !== null,
    measured: (bytes) => metrics.transcripts(bytes),
    clock,
    log,
  })
  const left = new LeftRuns({
    ...{ runtime, board, records, programs, repository, line: lineRows, lives, holder, provisioner },
    ...{ agentRows, folder, changes, mayStill, clock, log },
    ended: endedLeft,
    freed: () => line.look(),
    terminalEnds: new TerminalEnds(prisma),
  })
  wasSet.on((set) => holder.secretSet(set))
  /** When this backend started: what is older was left by another one. */
  let startedAt = Infinity
  const sweeper = runSweeper({
    ...{ left, keeper, folder, repository, clock, log },
    dialogs: deps.dialogs,
    startedAt: () => startedAt,
  })
  recovery.handle(RUN_MODE, left.decider)
  attendance.add((agentId) => programs.attended(agentId))
  leaving.add((agentId) => programs.left(agentId))
  const cliProviders = createCliProviders({ ...deps, agents, homes, provisioner })
  const planner = new RunPlanner({ agents, providers: cliProviders.service, clock })
  const leases = new Leases({ rows: new LeaseRepository(prisma), attendance, records, clock })
  const interactive = new InteractiveRuns({
    ...{
      agents,
      runtime,
      installed: cliProviders.installed,
      programs,
      repository,
      records,
      line: lineRows,
      leases,
      lives,
    },
    ...{ holder, changes, places: deps.places, folder, spending, clock, log },
    ended: ({ open, live, run }, end) => {
      metrics.ended(run.provider, end)
      tell.end(open.row.id, live, end)
    },
    gone: (sessionId, reason) => void left.gone(sessionId, reason),
  })
  const starter = new RunStarter({
    interactive,
    leases,
    installed: cliProviders.installed,
    agents,
    planner,
    runtime,
    provisioner,
    approvals,
    programs,
    records,
    repository,
    line: lineRows,
    holder,
    changes,
    skills: deps.skills.ofTasks,
    places: deps.places,
    spending,
    lives,
    folder,
    audit,
    clock,
  })
  const line = new RunLine({
    jobs,
    repository,
    line: lineRows,
    programs,
    planner,
    starter,
    isHeld: (id) => holder.conductorOf(id) !== null,
    running: () => board.running().map(({ agentId }) => agentId),
    mayStill,
    started: (run) => {
      const live = lives.find(run.id)
      // Without one, the run has ended by now.
      if (live && run.agentId !== null) tell.state(run.agentId, live, 'running')
    },
    ended: endedLeft,
    ...{ folder, audit, clock, log },
  })
  // An agent may run now.
  board.changed.on(() => line.look())
  losses.on((loss) => void line.lost(loss).catch(onListenerError))
  const runs = new RunService({
    agentRows,
    repository,
    results: new ResultRepository(prisma),
    planner,
    starter,
    ...{ line, holder, left, lives, folder, audit },
    news,
    newId,
    clock,
  })
  const comparisons = createComparisons({ ...deps, planner, runs })
  const schedules = createSchedules({ ...deps, repository, planner, runs, mayStill })
  const conversations = new RunConversations({ runs, leases, freed: () => line.look() })
  const keyboard = new RunKeyboard(runs, interactive)
  const routes: FastifyPluginAsync = async (api) => {
    await api.register(schedules.routes)
    await api.register(comparisons.routes)
    await api.register(runRoutes, { runs, followers, folder })
    await api.register(createReview({ runs, prisma, agents, provisioner, runtime, audit, folder }))
    await api.register(continueRoutes, { conversations })
    await api.register(keyboardRoutes, { keyboard })
    await api.register(ledgerRoutes, {
      ledger: new LedgerService({ reports: new ReportRepository(prisma), budgets, clock }),
    })
    await api.register(cliProviders.routes)
  }
  return {
    routes,
    runs,
    status: cliProviders.status,
    conversations,
    interactive,
    repository,
    planner,
    mayStill,
    news,
    questions,
    untaken,
    gates,
    ended: new EndedTranscripts({ folder, lives, repository, clock }),
    addTo: (id: string, happening: RunHappening): void => holder.add(id, happening),
    correspondent: runCorrespondent({ runs, keyboard, followers, folder, log }),
    callers: () => [...programs.callers(), ...followers.callers()],
    start: async (): Promise<void> => {
      startedAt = clock.now()
      stalls.start()
      schedules.start()
      // Not awaited, because it takes as long as the engine does.
      void recovery.listed
        .then(() => {
          sweeper.start()
          line.start()
        })
        .catch(onListenerError)
    },
    quiesce: () => line.stop(),
    end: async (): Promise<void> => {
      followers.stop()
      await stalls.stop()
      await schedules.stop()
      await holder.stop()
      await sweeper.stop()
      await keeper.settled()
      lives.stop()
    },
  }
}

export type Runs = ReturnType<typeof createRuns>
