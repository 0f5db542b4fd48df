/** The platform's own metrics for Prometheus: agents, terminals, sockets, sign-ins, and what the server depends on. */
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { WebSocket } from 'ws'
import { SECOND_MS } from '../../lib/time/clock.ts'

/**
 * Upper bounds in seconds. An idle engine starts an exec in 0.1 s, a busy one in seconds; after 20 s the start fails.
 */
const START_BUCKETS = [0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const SIGN_IN_ROUTE = '/api/auth/login'
const SIGN_IN_RESULTS: Readonly<Record<number, string>> = { 200: 'accepted', 401: 'refused', 429: 'throttled' }

/** Figures that each scrape reads. They are in memory: a scrape never waits for a query. */
export interface PlatformFigures {
  /** How many agents are in each state, zeros included. */
  agentsByState(): ReadonlyMap<string, number>
  /** Terminals with a program. */
  terminals(): number
  engineUp(): boolean
  /** Connections to the database: all, the idle ones, and how many queries wait for one. */
  database(): { readonly open: number; readonly idle: number; readonly waiting: number }
}

/** Options of {@link platformMetricsPlugin}. */
export interface PlatformMetricsOptions {
  readonly registry: Registry
  readonly figures: PlatformFigures
  /** The product's version. */
  readonly version: string
}

/** Register it after the WebSocket plugin, whose connections it counts. */
export const platformMetricsPlugin = fp<PlatformMetricsOptions>(
  async (app, { registry, figures, version }) => {
    const registers = [registry]
    new Gauge({
      name: 'slipway_build_info',
      help: 'Always 1; the labels say what runs.',
      labelNames: ['version', 'node'] as const,
      registers,
    }).set({ version, node: process.versions.node }, 1)
    new Gauge({
      name: 'slipway_agents',
      help: 'Agents by state.',
      labelNames: ['state'] as const,
      registers,
      collect() {
        for (const [state, count] of figures.agentsByState()) this.set({ state }, count)
      },
    })
    new Gauge({
      name: 'slipway_terminal_sessions',
      help: 'Terminals that are open now.',
      registers,
      collect() {
        this.set(figures.terminals())
      },
    })
    new Gauge({
      name: 'slipway_engine_up',
      help: '1 while the container engine answers.',
      registers,
      collect() {
        this.set(figures.engineUp() ? 1 : 0)
      },
    })
    new Gauge({
      name: 'slipway_database_connections',
      help: 'Connections to the database by state.',
      labelNames: ['state'] as const,
      registers,
      collect() {
        const { open, idle } = figures.database()
        this.set({ state: 'busy' }, open - idle)
        this.set({ state: 'idle' }, idle)
      },
    })
    new Gauge({
      name: 'slipway_database_waiting',
      help: 'Queries that wait for a connection to the database.',
      registers,
      collect() {
        this.set(figures.database().waiting)
      },
    })

    const signIns = new Counter({
      name: 'slipway_sign_ins_total',
      help: 'Sign-ins with a password: accepted, refused, or not even looked at after too many failures.',
      labelNames: ['result'] as const,
      registers,
    })
    for (const result of Object.values(SIGN_IN_RESULTS)) signIns.inc({ result }, 0)
    app.addHook('onResponse', async (request, reply) => {
      const result = SIGN_IN_RESULTS[reply.statusCode]
      if (result !== undefined && request.routeOptions.url === SIGN_IN_ROUTE) signIns.inc({ result })
    })

    countWebSockets(app.websocketServer, registers)
  },
  { name: 'platform-metrics', fastify: '5.x', dependencies: ['@fastify/websocket'] },
)

/** Each scrape reads the byte counts of the connections, so counting costs nothing while users type. */
function countWebSockets(
  server: { on(event: 'connection', listener: (ws: WebSocket, request: { socket: Socket }) => void): unknown },
  registers: Registry[],
): void {
  const open = new Set<Socket>()
  const closed = { sent: 0, received: 0 }
  server.on('connection', (ws, { socket }) => {
    open.add(socket)
    ws.once('close', () => {
      open.delete(socket)
      closed.sent += socket.bytesWritten
      closed.received += socket.bytesRead
    })
  })
  new Gauge({
    name: 'slipway_websockets',
    help: 'WebSockets that are open now: terminals, and pages that listen for changes.',
    registers,
    collect() {
      this.set(open.size)
    },
  })
  new Counter({
    name: 'slipway_websocket_bytes_total',
    help: 'Bytes over WebSockets, frames and their upgrade included.',
    labelNames: ['direction'] as const,
    registers,
    collect() {
      const total = { ...closed }
      for (const { bytesWritten, bytesRead } of open) {
        total.sent += bytesWritten
        total.received += bytesRead
      }
      this.reset()
      this.inc({ direction: 'sent' }, total.sent)
      this.inc({ direction: 'received' }, total.received)
    },
  })
}

/** Measures the starts of terminals' programs, and counts why terminals end. */
export class TerminalMetrics {
  readonly #duration: Histogram
  readonly #failures: Counter
  readonly #ended: Counter<'reason'>

  /** `reasons` has all reasons, so that each has a value from the beginning. */
  constructor(registry: Registry, reasons: readonly string[]) {
    const registers = [registry]
    this.#duration = new Histogram({
      name: 'slipway_terminal_start_duration_seconds',
      help: "Time from the engine's being asked for a terminal to its program's start.",
      buckets: START_BUCKETS,
      registers,
    })
    this.#failures = new Counter({
      name: 'slipway_terminal_start_failures_total',
      help: 'Terminals whose program could not be started.',
      registers,
    })
    this.#ended = new Counter({
      name: 'slipway_terminal_sessions_ended_total',
      help: 'Terminals that ended, by reason.',
      labelNames: ['reason'] as const,
      registers,
    })
    for (const reason of reasons) this.#ended.inc({ reason }, 0)
  }

  /** Measures one start. */
  async start<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      const started = await work()
      this.#duration.observe((performance.now() - began) / SECOND_MS)
      return started
    } catch (error) {
      this.#failures.inc()
      throw error
    }
  }

  ended(reason: string): void {
    this.#ended.inc({ reason })
  }
}
