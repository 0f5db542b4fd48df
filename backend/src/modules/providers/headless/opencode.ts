/**
 * OpenCode without a terminal, which prints one JSON object a line. A `text` event holds a whole part of an answer, and
 * the last one is the result. While OpenCode retries, only its log on standard error says so.
 *
 * OpenCode has no arguments for a number of turns and a budget.
 */
import { stripVTControlCharacters } from 'node:util'
import type { RunHappening } from '@slipway/protocol'
import { happeningOf } from './parts/failures.ts'
import { type ServersFile, withServers } from './mcp/with-servers.ts'
import type { Failure, Headless, HeadlessOptions, Reading, Verdict } from './headless.ts'
import { said, used } from './parts/happenings.ts'
import { sessionIdIn } from './parts/ids.ts'
import { bounded, type Fields, fieldsIn, objectOf, textIn } from './parts/json.ts'
import { acpPeople } from './acp/people.ts'
import { askingConfig, OPENCODE } from './opencode/acp.ts'
import { failureOf, loggedIn, lostIn } from './opencode/failure.ts'
import { toolHappenings } from './opencode/tools.ts'
import { StepUsage } from './opencode/usage.ts'

/** This file comes between the user's settings and those in the folder. */
const SERVERS: ServersFile = {
  at: 'OPENCODE_CONFIG=',
  field: 'mcp',
  formOf: (transport) =>
    transport.kind === 'stdio'
      ? { type: 'local', command: [transport.command, ...transport.args], environment: transport.env, enabled: true }
      : // A token is in the headers, so OpenCode needs to sign in nowhere.
        { type: 'remote', url: transport.url, headers: transport.headers, oauth: false, enabled: true },
}

/** Why a step ends that no other one follows. After `tool-calls` and `unknown` OpenCode goes on. */
const LAST_STEP = new Set(['stop', 'length', 'content-filter'])
/** How much of a line of standard error is searched for a permission, in UTF-16 code units. */
const NOTICE_MAX = 500
const PERMISSION = /\bpermission requested: .{1,400}auto-rejecting/

/** What OpenCode adds to the user's own configuration. */
const configOf = (skips: boolean): string =>
  JSON.stringify({
    // Without a key of the user, OpenCode would send the prompt to a free model of its maker.
    disabled_providers: ['opencode'],
    // No user can be asked. OpenCode's own default is to allow.
    permission: skips ? 'allow' : { edit: 'deny', bash: 'deny' },
  })

const LOGS = ['--print-logs', '--log-level', 'ERROR'] as const
const OFFLINE = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' } as const
/**
 * Names a folder that OpenCode reads besides its others. `skills.paths` in its configuration would take the place of the
 * user's own paths.
 */
const SKILLS = 'OPENCODE_CONFIG_DIR'
const skillsIn = (folder: string | undefined): Record<string, string> =>
  folder === undefined ? {} : { [SKILLS]: folder }
const read: Headless['read'] = (options) => new OpenCodeReading(options)

export const headless: Headless = {
  program: ({ prompt, model, resume, forks = false, skips, servers, skillsFolder }) =>
    withServers(
      {
        argv: [
          ...['opencode', 'run', '--format', 'json', ...LOGS],
          ...(model === null ? [] : ['--model', model]),
          ...(resume === null ? [] : ['-s', resume, ...(forks ? ['--fork'] : [])]),
        ],
        env: { OPENCODE_CONFIG_CONTENT: configOf(skips), ...OFFLINE, ...skillsIn(skillsFolder) },
        stdin: new TextEncoder().encode(prompt),
      },
      SERVERS,
      servers,
    ),
  people: acpPeople(OPENCODE, read, ({ model, servers, skillsFolder }) =>
    withServers(
      {
        argv: ['opencode', 'acp', ...LOGS],
        env: { OPENCODE_CONFIG_CONTENT: askingConfig(model), ...OFFLINE, ...skillsIn(skillsFolder) },
      },
      SERVERS,
      servers,
    ),
  ),
  read,
  // Not known. OpenCode prints no result in any case.
  answersInterrupt: false,
  limitsTurns: 'counted',
  forks: true,
  takesServers: true,
  takesSkills: (variables) => variables[SKILLS] === undefined,
}

class OpenCodeReading implements Reading {
  readonly #isResumed: boolean
  readonly #folder: string
  readonly #usage = new StepUsage()
  #sessionId: string | null = null
  #answer: string | null = null
  #hasStarted = false
  #turns = 0
  #hasWorked = false
  #isOver = false
  #failure: Failure | null = null
  /** What the log says, until OpenCode gets on. */
  #logged: Failure | null = null

  constructor({ resume, folder }: Pick<HeadlessOptions, 'resume' | 'folder'>) {
    this.#isResumed = resume !== null
    this.#folder = folder
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    if (event === null) return []
    this.#sessionId ??= sessionIdIn(event.sessionID)
    const part = fieldsIn(event.part)
    switch (event.type) {
      case 'step_start':
        return this.#start()
      case 'text':
        return this.#say(textIn(part.text) ?? '')
      case 'reasoning':
        return said('thinking', part.text)
      case 'tool_use':
        return this.#use(part)
      case 'step_finish':
        return this.#finish(part)
      case 'error':
        return this.#error(fieldsIn(event.error), now)
      default:
        return []
    }
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    const head = stripVTControlCharacters(text.slice(0, NOTICE_MAX)).trim()
    if (PERMISSION.test(head)) return [{ type: 'status', status: 'notice', message: head }]
    const lost = this.#isResumed && !this.#hasStarted ? lostIn(head) : null
    if (lost !== null) {
      this.#failure = lost
      return [happeningOf(lost)]
    }
    const logged = loggedIn(text, now)
    if (logged === null) return []
    const before = this.#logged
    this.#logged = logged.failure ?? before
    // OpenCode asks again and again, each time in vain.
    if (logged.failure?.reason === 'usage_limit')
      return logged.failure.message === before?.message ? [] : [happeningOf(logged.failure)]
    if (logged.message !== null)
      return [{ type: 'status', status: 'notice', message: `A request to the model failed: ${logged.message}` }]
    if (!logged.isRetried) return []
    // The line itself holds the whole request.
    const answer = logged.status === null ? 'did not answer' : `answered with status ${logged.status}`
    return [{ type: 'status', status: 'retrying', message: `The model server ${answer}.` }]
  }

  /** A resumed process counts only its own steps. */
  verdict(): Verdict {
    return {
      sessionId: this.#sessionId,
      result: this.#answer,
      // At a usage limit OpenCode sleeps until its end, with all its memory.
      isOver: this.#isOver || this.#logged?.reason === 'usage_limit',
      hasWorked: this.#hasWorked,
      failure: this.#currentFailure(),
      usage: this.#usage.models,
      turns: this.#turns,
      costUsd: this.#usage.costUsd,
    }
  }

  /** OpenCode's server hides some errors from its output, but not from its log. */
  #currentFailure(): Failure | null {
    if (this.#failure === null) return this.#isOver ? null : this.#logged
    const isHidden = this.#failure.reason === 'cli_error' && this.#failure.status === null
    return isHidden ? (this.#logged ?? this.#failure) : this.#failure
  }

  /** A further step undoes an end and an error: OpenCode may shorten the conversation and then go on. */
  #start(): RunHappening[] {
    this.#turns += 1
    this.#isOver = false
    this.#failure = null
    this.#logged = null
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ type: 'status', status: this.#isResumed ? 'resumed' : 'started', message: '' }]
  }

  #say(text: string): RunHappening[] {
    if (text === '') return []
    this.#hasWorked = true
    this.#answer = bounded(text)
    return [{ type: 'text', text: this.#answer }]
  }

  #use(part: Fields): RunHappening[] {
    const happenings = toolHappenings(part, this.#folder)
    if (happenings.length > 0) this.#hasWorked = true
    return happenings
  }

  #finish(part: Fields): RunHappening[] {
    this.#usage.add(part)
    const usage = used(this.#usage.models)
    if (!LAST_STEP.has(textIn(part.reason) ?? '')) return usage
    this.#isOver = true
    return [...usage, { type: 'result', text: this.#answer ?? '', isError: false }]
  }

  #error(error: Fields, now: number): RunHappening[] {
    const failure = failureOf(error, now)
    if (failure === null) return [{ type: 'status', status: 'notice', message: 'OpenCode was interrupted.' }]
    this.#failure = failure
    return [happeningOf(failure)]
  }
}
