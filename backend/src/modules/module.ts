/** What a module gives to `app.ts`, and what happens to all of them. */
import type { FastifyPluginAsync } from 'fastify'
import { SECOND_MS } from '../lib/time/clock.ts'
import type { Signal } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'
import { within } from '../lib/time/within.ts'
import type { RequireOwnOrigin } from '../plugins/origin.ts'
import type { AgentNews, Correspondent, Topic } from './agents/news/topic.ts'
import type { Caller } from './identity/caller.ts'

/** Each of its parts is optional. */
export interface Module {
  /** Its routes, mounted below `/api`. */
  readonly routes?: FastifyPluginAsync
  /** Its WebSockets, mounted below `/api` for pages of the server's own origin. */
  readonly sockets?: FastifyPluginAsync
  /** What it tells of agents to pages that are open. */
  readonly topics?: readonly Topic[]
  /** Events for pages, each sent to those who may see the agent. */
  readonly news?: Pick<Signal<AgentNews>, 'on'>
  /** What it does with messages of pages. */
  readonly correspondent?: Correspondent
  /** The callers for whom it has something open. */
  callers?(): Caller[]
  /** Before the server listens, in the order of the modules. `callers` are those of all modules, at each time. */
  start?(callers: () => Caller[]): Promise<void>
  /** First when the server stops: no timer fires and no listener is told from now on. */
  quiesce?(): void
  /** Then what runs is ended or released, in all modules at once. */
  end?(): Promise<void>
  /** Then what is left is written, in the reverse order of the modules. */
  flush?(): Promise<void>
}

/**
 * How long a server that stops waits for what runs, in milliseconds: far above the seconds between a hang-up and the
 * kill, far below what an engine that hangs would take.
 */
const END_WITHIN_MS = 30 * SECOND_MS

/** Mounts everything that modules answer. */
export const mount =
  (modules: readonly Module[], requireOwnOrigin: RequireOwnOrigin): FastifyPluginAsync =>
  async (api) => {
    for (const { routes } of modules) if (routes) await api.register(routes)
    await api.register(async (guarded) => {
      guarded.addHook('onRequest', requireOwnOrigin)
      for (const { sockets } of modules) if (sockets) await guarded.register(sockets)
    })
  }

export const startAll = async (modules: readonly Module[]): Promise<void> => {
  const callers = (): Caller[] => modules.flatMap((module) => module.callers?.() ?? [])
  for (const module of modules) await module.start?.(callers)
}

export const stopAll = async (modules: readonly Module[], log: Log): Promise<void> => {
  for (const module of modules) module.quiesce?.()
  const ended = Promise.all(modules.map((module) => module.end?.() ?? Promise.resolve()))
  await within(END_WITHIN_MS, ended, () =>
    log.warn('sessions did not end in time; what they left is ended at the next start or listed with its agent'),
  )
  for (const module of modules.toReversed()) await module.flush?.()
}
