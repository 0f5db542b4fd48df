/** The size and the length of a run. */
import { ROUNDS } from '../harness/statistics.ts'

export interface Plan {
  readonly users: number
  /** Agents of each user, with one terminal in each. */
  readonly agentsEach: number
  /** Pages of each user that listen for changes. */
  readonly pagesEach: number
  /** Keys that all users together type in a second. */
  readonly keysPerSecond: number
  /** Rounds of a measurement. One more round before them does not count. */
  readonly rounds: number
  /** Sign-ins in each round. */
  readonly signIns: number
  readonly keys: number
  /** How long things are opened and closed afterwards, in milliseconds. */
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

/**
 * The same in about a minute, for the tests. It has a twentieth of the agents, because making one takes half a second.
 */
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
