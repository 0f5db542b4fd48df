/** A held program without a container, for tests that decide what it prints and when it ends. */
import type { OutputListener, Program, ProgramExit } from '../../../src/runtime/program.ts'

/** A program of the test's, which records what the conductor does with it. */
export const newProgram = () => {
  let listener: OutputListener = () => undefined
  let offset = 0
  const { promise: exit, resolve } = Promise.withResolvers<ProgramExit>()
  const done: string[] = []
  const acknowledged = { stdout: 0, stderr: 0 }
  const program = {
    leader: '1:1',
    exit,
    onOutput: (one: OutputListener) => (listener = one),
    acknowledge: (of: 'stdout' | 'stderr', at: number) => (acknowledged[of] = at),
    pause: () => undefined,
    resume: () => undefined,
    release: () => done.push('released'),
    signal: (name: string) => {
      done.push(name)
      return Promise.resolve()
    },
    hangUp: () => {
      done.push('hung up')
      resolve({ cause: 'exited', exitCode: null })
      return Promise.resolve()
    },
  } as unknown as Program
  return {
    program,
    done,
    acknowledged,
    exits: (exitCode: number | null, cause: ProgramExit['cause'] = 'exited') => resolve({ cause, exitCode }),
    prints: (text: string) => {
      listener(Buffer.from(text), 'stdout', offset)
      offset += Buffer.byteLength(text)
    },
  }
}
