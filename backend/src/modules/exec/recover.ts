/**
 * What becomes of programs that an earlier server started: the client that waited for them is gone. If one has ended meanwhile, its
 * exit is in its container and is recorded; one that still runs is ended.
 */
import { SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { AttachedProgram, ContainerRuntime, ProgramExit } from '../../runtime/port.ts'
import type { Board } from '../agents/state/board.ts'
import { endingOfExit } from '../sessions/ending.ts'
import { EXEC_MODE, type SessionRecords } from '../sessions/records.ts'
import type { Decide, Gone } from '../sessions/recovery.ts'
import type { LeftSession } from '../sessions/repository.ts'

/** How long the exit of a program that has ended may take, in milliseconds: the container may claim an end that never comes. */
const EXIT_WITHIN_MS = 5 * SECOND_MS

const EVERYTHING = { kind: 'pipes', from: { stdout: 0, stderr: 0 } } as const

export interface ExecRecoveryDeps {
  readonly runtime: Pick<ContainerRuntime, 'attach' | 'hangUp'>
  readonly board: Pick<Board, 'get'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

export const execRecoverer = (deps: ExecRecoveryDeps) => (): Decide => async (session, gone) => {
  try {
    await decide(deps, session, gone)
    return true
  } catch (error) {
    const isAway = !(error instanceof RuntimeError) || error.code === 'engine_unavailable'
    if (isAway) deps.log.warn({ sessionId: session.id, err: error }, 'an exec of an earlier server is looked at again')
    else deps.log.error({ sessionId: session.id, err: error }, 'processes of an exec are left')
    if (!isAway) deps.records.ended(session.id, { reason: gone })
    return !isAway
  }
}

const decide = async (deps: ExecRecoveryDeps, session: LeftSession, gone: Gone): Promise<void> => {
  const { runtime, board, records } = deps
  const { runningId, container } = board.get(session.agentId)
  if (runningId === null) return records.ended(session.id, { reason: 'container_stopped' })
  const attached = await attach(runtime, runningId, session)
  if (attached) {
    const exit = await exitOf(attached)
    await attached.program.hangUp()
    return records.ended(session.id, exit ? endingOfExit(EXEC_MODE, '', exit) : { reason: gone })
  }
  const isSame = container?.startedAt && container.startedAt <= session.startedAt
  if (isSame && session.leader !== null) await runtime.hangUp(runningId, session.leader)
  records.ended(session.id, { reason: isSame ? gone : 'container_stopped' })
}

/** Null if it is not held, or if another program answers under its name. */
const attach = async (
  runtime: ExecRecoveryDeps['runtime'],
  containerId: string,
  { id, leader }: LeftSession,
): Promise<AttachedProgram | null> => {
  const attached = await runtime.attach(containerId, id, EVERYTHING).catch((error: unknown) => {
    if (error instanceof RuntimeError && error.code === 'start_failed') return null
    throw error
  })
  if (!attached || leader === null || attached.program.leader === leader) return attached
  attached.program.release()
  return null
}

/** Null while it runs. */
const exitOf = async ({ program, hasEnded }: AttachedProgram): Promise<ProgramExit | null> => {
  program.onOutput((chunk, from, offset) => program.acknowledge(offset + chunk.length, from))
  if (!hasEnded) return null
  const late = new Promise<null>((resolve) => setTimeout(resolve, EXIT_WITHIN_MS, null).unref())
  return Promise.race([program.exit, late])
}
