/** What an agent uses of its computer, now and over time. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

export const AgentStats = Type.Object({
  /** Share of one CPU, in percent: 200 is two full CPUs. */
  cpuPercent: Type.Number(),
  memoryBytes: Type.Integer(),
  memoryLimitBytes: Type.Integer(),
  /** Received and sent since the container started, in bytes. */
  networkRxBytes: Type.Integer(),
  networkTxBytes: Type.Integer(),
  /** Read from and written to disks since the container started, in bytes. */
  diskReadBytes: Type.Integer(),
  diskWriteBytes: Type.Integer(),
  processes: Type.Integer(),
})
export type AgentStats = Static<typeof AgentStats>

/** Span of an {@link AgentStatsHistory}, in minutes. The first one is finer than the others. */
export const StatsSpan = Type.Union([Type.Literal(15), Type.Literal(60), Type.Literal(360), Type.Literal(1440)])
export type StatsSpan = Static<typeof StatsSpan>

/** The values of one figure; null where a value is missing, for example while the agent was stopped. */
const Column = Type.Array(Nullable(Type.Number()))

/** An agent's use over time, oldest first. Each figure has a column of the same length as `at`. */
export const AgentStatsHistory = Type.Object({
  /** Seconds since 1970. */
  at: Type.Array(Type.Number()),
  /** Share of one CPU since the previous point, in percent. */
  cpuPercent: Column,
  memoryBytes: Column,
  /** Since the previous point, in bytes per second. */
  networkRxRate: Column,
  networkTxRate: Column,
  diskReadRate: Column,
  diskWriteRate: Column,
  processes: Column,
  /** The container's memory limit at the last measurement; null before the first one. */
  memoryLimitBytes: Nullable(Type.Integer()),
})
export type AgentStatsHistory = Static<typeof AgentStatsHistory>
