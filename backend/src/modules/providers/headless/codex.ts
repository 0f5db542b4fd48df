/** Codex without a terminal: `codex exec --json`. */
import type { ModelUsage, RunHappening } from '@slipway/protocol'
import { keyArgv, keyRefusalOf } from './codex/key.ts'
import { serverSettings } from './codex/servers.ts'
import { failureOf } from './codex/failure.ts'
import { CodexItems, type Stage } from './codex/items.ts'
import { happeningOf } from './parts/failures.ts'
import { used } from './parts/happenings.ts'
import type { Failure, Headless, HeadlessOptions, HeadlessProgram, Reading, ReadOptions, Verdict } from './headless.ts'
import { sessionIdIn } from './parts/ids.ts'
import { bounded, countIn, fieldsIn, objectOf, textIn, type Fields } from './parts/json.ts'
import { Repeats } from './parts/repeats.ts'
import { shareOf } from './parts/share.ts'
import { isWork } from './parts/work.ts'

/** Codex has no limit of turns and no budget, and it does not tell when a turn of the model begins. */
const program = ({
  prompt,
  model,
  resume,
  skips,
  hasKey = false,
  variables = {},
  servers,
}: HeadlessOptions): HeadlessProgram => {
  const { argv: settings, env } = serverSettings(servers)
  return {
    argv: [
      'codex',
      'exec',
      '--json',
      '--skip-git-repo-check',
      // Its sandboxes do not work in a container: with its prompts it only reads and answers, and runs no command.
      ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'read-only']),
      '--color',
      'never',
      // By itself `codex exec` reads another variable, which an agent's own variables may lack. Without a key these
      // arguments would keep a user's sign-in from being used.
      ...(hasKey ? keyArgv(variables) : []),
      ...settings,
      ...(model === null ? [] : ['-m', model]),
      ...(resume === null ? [] : ['resume', resume]),
      // The prompt is on standard input.
      '-',
    ],
    env,
    stdin: Buffer.from(prompt),
  }
}

/** The first words of the message that tells of another attempt. */
const RETRY = /^Reconnecting\.\.\./
/** The first word of the lines with which Codex gives up before it has a thread. */
const FATAL = /^error: /i

/**
 * Codex's totals. They continue after a resume, and Codex's input contains what was read from the cache and written to
 * it. Codex names no model and no price. All zeros mean that the model server told nothing.
 */
const totalsIn = (usage: Fields): readonly ModelUsage[] => {
  const input = countIn(usage.input_tokens)
  const outputTokens = countIn(usage.output_tokens)
  const cacheReadTokens = countIn(usage.cached_input_tokens)
  const cacheWriteTokens = countIn(usage.cache_write_input_tokens)
  if ((input ?? 0) === 0 && (outputTokens ?? 0) === 0) return []
  return [
    {
      model: null,
      inputTokens: input === null ? null : Math.max(0, input - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      costUsd: null,
    },
  ]
}

/** Reads one process, which has one turn. Codex prints no deltas: each text is a whole message. */
class CodexReading implements Reading {
  readonly #options: Pick<ReadOptions, 'resume' | 'totalsBefore'>
  readonly #items = new CodexItems()
  readonly #repeats = new Repeats()
  #sessionId: string | null = null
  #answer: string | null = null
  #isOver = false
  #hasWorked = false
  #failure: Failure | null = null
  /** The message of the last event about a failure. */
  #reported: string | null = null
  #totals: readonly ModelUsage[] = []

  constructor(options: Pick<ReadOptions, 'resume' | 'totalsBefore'>) {
    this.#options = options
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    switch (event?.type) {
      case 'thread.started':
        return this.#started(event)
      case 'item.started':
        return this.#item('started', event)
      case 'item.updated':
        return this.#item('updated', event)
      case 'item.completed':
        return this.#item('completed', event)
      case 'error':
        return this.#error(textIn(event.message), now)
      case 'turn.failed':
        this.#isOver = true
        return this.#failed(textIn(fieldsIn(event.error).message) ?? 'The turn failed.', now)
      case 'turn.completed':
        return this.#completed(event)
      default:
        return []
    }
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    return FATAL.test(text) && !this.#isOver ? this.#failed(text.replace(FATAL, ''), now) : []
  }

  verdict(): Verdict {
    return {
      sessionId: this.#sessionId,
      result: this.#answer,
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure,
      usage: this.#share(),
      totals: this.#totals,
      costUsd: null,
    }
  }

  #started(event: Fields): readonly RunHappening[] {
    this.#sessionId ??= sessionIdIn(event.thread_id)
    return this.#options.resume !== null
      ? [{ type: 'status', status: 'resumed', message: 'Codex has resumed its session.' }]
      : [{ type: 'status', status: 'started', message: 'Codex has started.' }]
  }

  #item(stage: Stage, event: Fields): readonly RunHappening[] {
    const read = this.#items.read(stage, fieldsIn(event.item))
    const happenings = read.filter((one) => one.type !== 'text' || this.#repeats.next(one.text) !== '')
    if (!read.some(isWork)) return happenings
    this.#hasWorked = true
    this.#answer = read.findLast((one) => one.type === 'text')?.text ?? this.#answer
    if (read.some((one) => one.type !== 'text' && isWork(one))) this.#repeats.complete()
    // An error after which the work goes on was none.
    if (this.#isOver) return happenings
    this.#failure = null
    this.#reported = null
    return happenings
  }

  /** Only `turn.failed` is final, but a process that is killed may not print it. */
  #error(message: string | null, now: number): readonly RunHappening[] {
    if (message === null) return []
    if (RETRY.test(message)) {
      this.#repeats.broken()
      return [{ type: 'status', status: 'retrying', message: bounded(message) }]
    }
    return this.#failed(message, now)
  }

  /** Codex prints most failures twice. */
  #failed(message: string, now: number): readonly RunHappening[] {
    this.#failure = failureOf(message, now)
    if (this.#failure.message === this.#reported) return []
    this.#reported = this.#failure.message
    return [happeningOf(this.#failure)]
  }

  #completed(event: Fields): readonly RunHappening[] {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#failure = null
    const totals = totalsIn(fieldsIn(event.usage))
    if (totals.length > 0) this.#totals = totals
    const happenings = totals.length > 0 ? used(this.#share()) : []
    if (isFirst && this.#answer !== null) happenings.push({ type: 'result', text: this.#answer, isError: false })
    return happenings
  }

  #share(): readonly ModelUsage[] {
    return shareOf(this.#totals, this.#options.totalsBefore)
  }
}

/** A command that runs outlives an interrupt of Codex, so the whole process tree has to be ended. */
export const headless: Headless = {
  program,
  keyRefusal: keyRefusalOf,
  read: (options) => new CodexReading(options),
  answersInterrupt: false,
  takesServers: true,
}
