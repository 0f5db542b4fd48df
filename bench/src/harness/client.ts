/**
 * The client's end of the terminals. It is a process with its own session, like a browser on another machine, and runs
 * the calls that it gets.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Call, Tasks } from '../client/main.ts'
import type { Cleanup } from './cleanup.ts'

const MAIN = fileURLToPath(new URL('../client/main.ts', import.meta.url))

export class Client {
  readonly #child: ChildProcess
  #answered: PromiseWithResolvers<Answer> | null = null

  constructor(cleanup: Cleanup) {
    this.#child = fork(MAIN, { execArgv: [], stdio: 'inherit', detached: true })
    this.#child.on('message', (answer: Answer) => this.#answered?.resolve(answer))
    this.#child.on('exit', () => this.#answered?.reject(new Error('the client process ended')))
    cleanup.add(() => this.stop())
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('the client has no process')
    return pid
  }

  /** One call at a time. */
  async call<Name extends keyof Tasks>(
    task: Name,
    ...args: Parameters<Tasks[Name]>
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    this.#answered = Promise.withResolvers<Answer>()
    const call: Call = { task, args }
    this.#child.send(call)
    const answer = await this.#answered.promise
    if ('error' in answer) throw new Error(`${task}: ${answer.error}`)
    return answer.result as Awaited<ReturnType<Tasks[Name]>>
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
