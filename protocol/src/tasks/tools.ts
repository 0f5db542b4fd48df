/** What the tools take that other programs call over MCP (`/api/mcp`). */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { RUN_FIELDS } from './runs.ts'

/** Longest answer of a tool, in UTF-16 code units: what fits into the context of a model. */
export const TOOL_ANSWER_MAX = 8000
/** How long a tool waits for the end of a task, in seconds. Many clients end a call after 60. */
export const TOOL_WAIT_SECONDS = 50
/** Calls of tools of one user that may wait for tasks at the same time. */
export const TOOL_WAITS_PER_USER = 16
/** Most tasks in one list, and tasks in a list by default. */
export const TOOL_LIST_MAX = 50
export const TOOL_LIST_DEFAULT = 10

const closed = { additionalProperties: false } as const

export const RunCodingTask = Type.Object(
  {
    ...RUN_FIELDS,
    /** The agent's name. A user with one agent need not give it. */
    agent: Type.Optional(AgentName),
    queue: Type.Optional(Type.Boolean({ default: false })),
    /** The id of an earlier task, whose conversation continues in the same folder. */
    resume: Type.Optional(Type.String({ format: 'uuid' })),
  },
  closed,
)
export type RunCodingTask = Static<typeof RunCodingTask>

export const ListCodingAgents = Type.Object({ agent: Type.Optional(AgentName) }, closed)
export type ListCodingAgents = Static<typeof ListCodingAgents>

/** An invalid id gets the same answer as a missing task. */
export const GetTaskResult = Type.Object({ result_id: Type.String({ minLength: 1, maxLength: 100 }) }, closed)
export type GetTaskResult = Static<typeof GetTaskResult>

export const ListTaskResults = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TOOL_LIST_MAX, default: TOOL_LIST_DEFAULT })) },
  closed,
)
export type ListTaskResults = Static<typeof ListTaskResults>
