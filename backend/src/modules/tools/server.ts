/** One MCP server for one request. It keeps nothing between two requests. */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import {
  GetTaskResult,
  ListCodingAgents,
  ListTaskResults,
  RUN_TIMEOUT_SECONDS_DEFAULT,
  RUN_TIMEOUT_SECONDS_MAX,
  RunCodingTask,
  TOOL_LIST_DEFAULT,
  TOOL_WAIT_SECONDS,
} from '@slipway/protocol'
import type { Log } from '../../lib/log.ts'
import { errorBodyOf } from '../../plugins/errors.ts'
import type { AsksModule } from '../asks/asks.ts'
import type { Visitor } from '../asks/visitor.ts'
import type { Caller } from '../identity/caller.ts'
import type { Answer } from './answers.ts'
import { toolInput } from './input.ts'
import { addPeopleTools, PEOPLE_INSTRUCTIONS } from './people.ts'
import type { TaskTools } from './tools.ts'
import type { Waiter } from './waits.ts'

const INSTRUCTIONS = `Slipway runs coding CLIs in agents. An agent is a container with a home folder that lasts. A task is one prompt for one CLI in one agent. It edits files and runs commands there, and it goes on if this connection ends. A tool that waits for a task answers after ${TOOL_WAIT_SECONDS} seconds at the latest.`

const RUN = {
  title: 'Run a coding task',
  description: `Starts a task and waits for its result, for ${TOOL_WAIT_SECONDS} seconds at most. After that the answer has the id of the task, for get_task_result. The result is what the CLI answered, with the number of changed files and the cost where they are known.`,
  inputSchema: toolInput(RunCodingTask, {
    provider:
      "The coding CLI: claude-code, codex, gemini-cli, copilot, opencode, cursor-agent or custom:{name}. Without it, the agent's own.",
    prompt: 'What the CLI is to do.',
    cwd: 'The working folder, inside of /home/developer. A relative path starts there.',
    model: 'A model of the CLI.',
    timeout_seconds: `Ends the task after so many seconds: ${RUN_TIMEOUT_SECONDS_DEFAULT} by default, ${RUN_TIMEOUT_SECONDS_MAX} at most.`,
    max_turns: 'Ends the task after so many turns of the model, where the CLI can do that.',
    max_budget_usd: 'Ends the task when it has cost so many US dollars.',
    agent: "The agent's name, as list_coding_agents has it. A user with one agent need not give it.",
    queue: 'true: if the task cannot start now, because of a limit or because its agent is stopped, it waits in line.',
    resume: 'The id of an earlier task that has ended. Its conversation continues in the same folder.',
  }),
  annotations: { destructiveHint: true, openWorldHint: true },
}

const AGENTS = {
  title: 'List agents and their coding CLIs',
  description:
    'The agents that you may use, with their state. With `agent`, or if only one agent runs: each coding CLI of that agent, with whether it is installed and configured, and its version.',
  inputSchema: toolInput(ListCodingAgents, { agent: 'The name of an agent that runs.' }),
  annotations: { readOnlyHint: true },
}

const RESULT = {
  title: 'Get the result of a task',
  description: `The result of a task. If the task has not ended, waits for ${TOOL_WAIT_SECONDS} seconds at most, and then says so.`,
  inputSchema: toolInput(GetTaskResult, {
    result_id: 'The id of the task, as run_coding_task and list_task_results have it.',
  }),
  annotations: { readOnlyHint: true },
}

const RESULTS = {
  title: 'List tasks',
  description:
    'Your tasks, one in a line: first the active ones, then those that have ended, the newest first. Prompts and answers are cut.',
  inputSchema: toolInput(ListTaskResults, { limit: `How many tasks: ${TOOL_LIST_DEFAULT} by default.` }),
  annotations: { readOnlyHint: true },
}

export interface ServerDeps {
  readonly tools: TaskTools
  readonly people: Pick<AsksModule, 'asks' | 'telling'>
  /** The product's version. */
  readonly version: string
  readonly log: Log
}

/** Who sends a message: a caller with rights to tasks, a program in an agent, or both. */
export interface From {
  readonly caller: Caller | null
  readonly visitor: Visitor | null
}

/** The server of one request. It has the tools that its sender may use. */
export const createServer = ({ tools, people, version, log }: ServerDeps, { caller, visitor }: From): McpServer => {
  const instructions = [...(caller ? [INSTRUCTIONS] : []), ...(visitor ? [PEOPLE_INSTRUCTIONS] : [])].join('\n\n')
  const server = new McpServer(
    { name: 'slipway', title: 'Slipway', version },
    // The list of tools does not change while a client is connected, as far as it is told.
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  const answered = (answer: Promise<Answer>) =>
    answer
      .catch((error: unknown): Answer => {
        const { code, message } = errorBodyOf(error)
        if (code === 'INTERNAL') log.error({ err: error }, 'a tool failed unexpectedly')
        return { text: message, isError: true }
      })
      .then(({ text, isError }) => ({ content: [{ type: 'text' as const, text }], isError }))
  if (caller) {
    server.registerTool('run_coding_task', RUN, (input, ctx) => answered(tools.run(caller, input, waiterOf(ctx))))
    server.registerTool('list_coding_agents', AGENTS, (input) => answered(tools.agents(caller, input)))
    server.registerTool('get_task_result', RESULT, (input, ctx) => answered(tools.result(caller, input, waiterOf(ctx))))
    server.registerTool('list_task_results', RESULTS, (input) => answered(tools.results(caller, input)))
  }
  if (visitor) addPeopleTools(server, { ...people, visitor, answered })
  return server
}

const waiterOf = ({ mcpReq }: ServerContext): Waiter => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { left: mcpReq.signal }
  const tell = (seconds: number, events: number): void => {
    const message = `Waited for ${seconds} s. The task has ${events} events so far.`
    const params = { progressToken, progress: seconds, message }
    // The client may have left just now.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  return { left: mcpReq.signal, tell }
}
