/** Carries the bytes of a program in a container over a channel, until one of the two ends. */
import type { ServerChannel } from 'ssh2'
import { aborted } from '../../../lib/aborted.ts'
import type { Log } from '../../../lib/log.ts'
import type { Program, ProgramExit } from '../../../runtime/program.ts'
import { disconnected, type Ending, endingOfExit } from '../../sessions/ending.ts'
import type { OpenProgram, Programs } from '../../sessions/programs.ts'
import { type SessionRecords, SSH_MODE } from '../../sessions/records/records.ts'
import { ChannelOutput, type SocketRoom } from './output.ts'

export interface CarryDeps {
  readonly programs: Pick<Programs, 'release'>
  readonly records: Pick<SessionRecords, 'ended'>
  readonly log: Log
}

/** A program that runs. */
export interface Started {
  readonly run: OpenProgram
  readonly program: Program
}

/** The client's side. */
export interface ClientSide {
  readonly channel: ServerChannel
  readonly room: SocketRoom
  readonly isTerminal: boolean
  /** Aborted when the client has closed the channel, or is gone. */
  readonly left: AbortSignal
}

/** How it was over: the program ended, or something else ended it. */
export type Outcome =
  | { readonly kind: 'exited'; readonly exit: ProgramExit }
  | { readonly kind: 'ended'; readonly ending: Ending }

/**
 * Resolves when the program has ended and the client has its output. An end from outside is answered at once: a person who
 * lost the right gets no more output. Frees the program's place when none of its processes is left.
 */
export const carry = async (deps: CarryDeps, { run, program }: Started, client: ClientSide): Promise<Outcome> => {
  const { programs, records, log } = deps
  const { channel, room, isTerminal, left } = client
  run.leader = program.leader
  const output = new ChannelOutput(channel, room, program)
  program.onOutput((chunk, from, offset) =>
    output.push(from, chunk, () => program.acknowledge(from, offset + chunk.length)),
  )
  program.onDrain(() => void channel.resume())
  channel.on('data', (chunk: Buffer) => {
    if (!program.write(chunk)) channel.pause()
  })
  // The end of a client's input is no key of a terminal.
  if (!isTerminal) channel.once('end', () => program.endInput())

  const isLeft = aborted(left)
  const fromOutside = Promise.race([isLeft.then(() => disconnected), run.ended])
  const outcome = await Promise.race([
    program.exit.then((exit): Outcome => ({ kind: 'exited', exit })),
    fromOutside.then((ending): Outcome => ({ kind: 'ended', ending })),
  ])
  // A program that is blocked on its output could not react to the hang-up.
  if (outcome.kind === 'ended') output.close()
  const end = outcome.kind === 'ended' ? outcome.ending : endingOfExit(SSH_MODE, run.row.name, outcome.exit)
  const record = (): void => {
    records.ended(run.sessionId, end)
    log.info({ sessionId: run.sessionId, agentId: run.row.id, reason: end.reason }, 'program over ssh ended')
  }
  const hungUp = program
    .hangUp()
    .catch((error: unknown) => log.error({ sessionId: run.sessionId, err: error }, 'processes over ssh are left'))
  // The next start of the server ends the processes of every program without a recorded end.
  if (outcome.kind === 'ended') void hungUp.then(record)
  else record()
  void hungUp.then(() => programs.release(run))
  if (outcome.kind === 'exited') await Promise.race([output.flushed(), fromOutside])
  output.close()
  return outcome
}
