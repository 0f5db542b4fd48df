/** Starts sessions in their places, with a new program or with a running one that was found. */
import { CloseCode, TERMINAL_MESSAGE } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { TERMINAL_LOG_BYTES } from '../../runtime/program.ts'
import type { AgentOf, Provisioner } from '../credentials/provision/provision.ts'
import type { Caller } from '../identity/caller.ts'
import { providerOfMode } from '../providers/catalogue.ts'
import { canUse, launchSpec } from '../providers/launch.ts'
import type { HomeSignIns } from '../sessions/cli/home.ts'
import { sessionEnvironment } from '../sessions/start/environment.ts'
import type { KeyApprovals } from '../sessions/start/key-approvals.ts'
import { type Ending, engineUnavailable, failedToStart, notRunning } from '../sessions/ending.ts'
import { loginArgv } from '../sessions/start/login.ts'
import type { Kept } from './screen/mirror/mirror.ts'
import type { Mirrors } from './screen/mirror/mirrors.ts'
import type { SessionRecords } from '../sessions/records/records.ts'
import { EndedBeforeStart, type StartDeps, startSession } from '../sessions/start/start.ts'
import { RefusedError, refusedBy } from './refused.ts'
import type { Prepared, Recorder } from './recording/recorder.ts'
import type { Slot, TerminalRegistry } from './registry.ts'
import type { ScreenKeeper } from './screen/kept/keeper.ts'
import type { OpenTerminal } from './session/open-terminal.ts'
import { Session } from './session/session.ts'
import type { Size } from '@slipway/emulator'
import { TASK_KEEP_SECONDS, type TaskTerminalRequest } from '../sessions/task-terminals.ts'

/** A session that has ended for good. */
export type EndedSession = Pick<Ending, 'reason'> & { readonly sessionId: string }

export interface StarterDeps extends Pick<StartDeps, 'records'> {
  readonly provisioner: Pick<Provisioner, 'provideTask'>
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly registry: TerminalRegistry
  readonly homes: Pick<HomeSignIns, 'of' | 'isKnown'>
  readonly approvals: Pick<KeyApprovals, 'approve'>
  readonly records: StartDeps['records'] & Pick<SessionRecords, 'letGo'>
  readonly recorder: Pick<Recorder, 'begin' | 'abandon'>
  /** How long sessions in an agent wait for their user, in seconds; null: the agent was deleted. */
  readonly keepSecondsOf: (agentId: string) => Promise<number | null>
  readonly mirrors: Pick<Mirrors, 'open'>
  readonly screens: Pick<ScreenKeeper, 'follow'>
  /** Emits each session that has ended. */
  readonly ended: Signal<EndedSession>
}

/** Parts of a session that is taken over. */
interface Adoption {
  readonly log: Log
  readonly recording: Prepared | null
  /** Its kept screen. */
  readonly kept: Kept | null
}

/** What to start, and in which container. */
export interface Start {
  readonly containerId: string
  readonly size: Size
  readonly model: string | null
  /** The working folder, an absolute path. */
  readonly folder: string
  /** What the task wants that has the terminal. Absent: no task has it. */
  readonly task?: Pick<TaskTerminalRequest, 'prompt' | 'skips' | 'newSession' | 'resume' | 'facts' | 'prepare'>
  /** The request's log, so that later log lines of the terminal still name the request that opened it. */
  readonly log: Log
}

export class SessionStarter {
  readonly #deps: StarterDeps

  constructor(deps: StarterDeps) {
    this.#deps = deps
  }

  /** Throws a {@link RefusedError} with the text for the client. Then nothing is left but the place. */
  async start(slot: Slot, start: Start): Promise<Session> {
    return this.startRaw(slot, start).catch((error: unknown) => Promise.reject(explain(error, slot)))
  }

  /** The same, but throws what failed. */
  async startRaw(slot: Slot, { containerId, size, model, folder, task, log }: Start): Promise<Session> {
    const { runtime, recorder, approvals, homes, provisioner, records } = this.#deps
    const { sessionId, row, mode, cliSessionId = null } = slot
    const { services = [], noticeWithoutKey, terminalWithServers } = providerOfMode(mode)
    const takes = { takesServers: terminalWithServers !== undefined }
    const provide = (caller: Caller, agent: AgentOf) => provisioner.provideTask(caller, agent, takes)
    let recording: Prepared | null = null
    const pty = await startSession({ provisioner: { provide }, records }, slot, {
      facts: task?.facts ?? (cliSessionId === null ? {} : { cliSessionId }),
      ended: () => slot.ended,
      start: async (provision) => {
        await task?.prepare(containerId, provision)
        const hasKey = canUse(services, provision.environment(services).given)
        // Looked up only if the terminal's notice depends on it.
        const signedIn = hasKey || noticeWithoutKey === undefined ? null : await homes.of(containerId)
        if (hasKey) slot.signedIn = { home: null, is: true }
        else if (homes.isKnown(mode)) slot.signedIn = { home: containerId, is: signedIn?.has(mode) ?? null }
        const { argv, isLoginShell, env, notice } = launchSpec(mode, {
          credentials: (wanted) => provision.environment(wanted),
          servers: { all: provision.connectors.servers, mark: `slipway-servers-${sessionId}` },
          isSignedIn: signedIn?.has(mode) ?? false,
          model,
          resume: task ? task.resume : cliSessionId,
          ...(task && { prompt: task.prompt, newSession: task.newSession }),
          skipPermissions: task?.skips ?? row.skipPermissions,
          isSystem: row.isSystem,
        })
        await approvals.approve(containerId, env)
        recording = await recorder.begin(slot)
        const notices = [...provision.problems, ...(notice === null ? [] : [notice])]
        const shown = notices.length === 0 ? null : `\u001b[2m${notices.join('\r\n')}\u001b[0m\r\n`
        return runtime.start(containerId, {
          session: sessionId,
          argv: isLoginShell ? argv : loginArgv(argv),
          env: sessionEnvironment(env),
          folder,
          io: { kind: 'terminal', ...size, notice: shown },
          keepSeconds: task ? TASK_KEEP_SECONDS : row.keepSeconds,
          logBytes: TERMINAL_LOG_BYTES,
          whenFull: 'drop',
        })
      },
    }).catch((error: unknown) => {
      if (recording) void recorder.abandon(sessionId)
      return Promise.reject(error)
    })
    log.info({ sessionId, agentId: row.id, userId: slot.caller.userId }, 'terminal opened')
    return this.#begin(slot, { pty, ...size, from: 0, to: 0 }, { log, recording, kept: null })
  }

  /** Takes over a program that was found running. It waits for its user from now on. */
  adopt(slot: Slot, attached: OpenTerminal, adoption: Adoption): Session {
    const { sessionId, row, caller } = slot
    const { log } = adoption
    log.info({ sessionId, agentId: row.id, userId: caller.userId }, 'terminal taken over')
    const session = this.#begin(slot, attached, adoption, true)
    session.waitForSomebody()
    return session
  }

  #begin(
    slot: Slot,
    { pty, cols, rows, from, to }: OpenTerminal,
    { log, recording, kept }: Adoption,
    isTakenOver = false,
  ): Session {
    const { registry, records, mirrors, screens, ended, keepSecondsOf } = this.#deps
    const { sessionId, row, mode } = slot
    const session = new Session({
      id: sessionId,
      pty,
      mode,
      agentName: row.name,
      size: { cols, rows },
      from,
      to,
      isTakenOver,
      answers: slot.task ?? false,
      keepSeconds: async () => {
        if (slot.task) return TASK_KEEP_SECONDS
        const seconds = await keepSecondsOf(row.id).catch(() => null)
        return seconds ?? row.keepSeconds
      },
      onWaits: () => registry.changed.emit(row.id),
      onFailure: (error) => {
        log.error(
          { sessionId, err: error },
          'something that follows a terminal failed, and the terminal goes on without it',
        )
      },
      onEnd: (ending, goesOn) => {
        registry.release(slot)
        if (goesOn) {
          if (ending.reason === 'engine_unavailable') records.letGo(sessionId)
          return log.info({ sessionId, agentId: row.id, reason: ending.reason }, 'terminal let go')
        }
        records.ended(sessionId, ending)
        ended.emit({ sessionId, reason: ending.reason })
        log.info({ sessionId, agentId: row.id, reason: ending.reason }, 'terminal ended')
      },
    })
    const mirror = mirrors.open(session, { kept, to })
    screens.follow(session, mirror, { kept, to })
    session.observe(mirror)
    session.mirrorIn((lines) => mirror.print(lines))
    session.gone.catch((error: unknown) => log.error({ sessionId, err: error }, 'processes of a terminal are left'))
    recording?.(session)
    registry.opened(slot, session)
    return session
  }
}

/** Tells the client why its request could not be recorded, if the error has a text for users. */
export const unrecorded = (error: unknown): unknown =>
  error instanceof AppError ? new RefusedError(CloseCode.INTERNAL, error.message) : error

/** Explains to the user why a terminal could not be opened. */
const explain = (error: unknown, { row, mode }: Slot): unknown => {
  if (error instanceof EndedBeforeStart) return refusedBy(error.ending)
  if (error instanceof AppError) return unrecorded(error)
  if (!(error instanceof RuntimeError)) return error
  switch (error.code) {
    case 'engine_unavailable':
      return refusedBy(engineUnavailable)
    case 'not_running':
      return refusedBy(notRunning(row.name))
    case 'not_found':
      return new RefusedError(CloseCode.NOT_RUNNING, TERMINAL_MESSAGE.containerNotFound(row.name))
    default:
      return refusedBy(failedToStart(mode, error.message.slice(0, 300)))
  }
}
