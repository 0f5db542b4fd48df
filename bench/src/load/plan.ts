/** How many of everything, and for how long. */
import { ROUNDS } from '../harness/statistics.ts'

export interface Plan {
  readonly users: number
  /** Each user owns so many, and has a terminal open in each of them. */
  readonly agentsEach: number
  /** Pages that listen for changes, each user's the same number. */
  readonly pagesEach: number
  /** Typed by all users together, in each second. */
  readonly keysPerSecond: number
  /** Of a measurement; one more before them does not count. */
  readonly rounds: number
  /** In each round. */
  readonly signIns: number
  readonly keys: number
  /** For how long things come and go afterwards, in milliseconds. */
  readonly churnMs: number
}

const MINUTE_MS = 60_000

/** 50 users, 200 agents, 200 terminals, 1,000 sockets, 15 minutes. */
export const FULL: Plan = {
  users: 50,
  agentsEach: 4,
  pagesEach: 20,
  keysPerSecond: 100,
  rounds: ROUNDS,
  signIns: 40,
  keys: 200,
  churnMs: 15 * MINUTE_MS,
}

/** The same in about a minute, for the tests: a twentieth of the agents, since making one takes half a second. */
export const SHORT: Plan = {
  users: 5,
  agentsEach: 2,
  pagesEach: 20,
  keysPerSecond: 20,
  rounds: 2,
  signIns: 10,
  keys: 60,
  churnMs: 6_000,
}
