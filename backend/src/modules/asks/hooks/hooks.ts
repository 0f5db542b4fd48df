/**
 * The hooks of Claude Code in agents: what it may do with a grave command where it skips its permission prompts, and when it
 * waits in a terminal. A container that lies here only lies about itself.
 */
import {
  type AnswerDialog,
  type AskedPeople,
  type ClaudeHook,
  type ClaudeHookAnswer,
  DIALOG_SECONDS_MAX,
  DIALOG_TEXT_MAX,
  type QuestionOf,
  type TerminalNeed,
} from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { grade } from '../../dialogs/grading/grade.ts'
import { bounded } from '../../providers/headless/parts/json.ts'
import type { AskService } from '../service.ts'
import type { Visitor } from '../visitor.ts'

/** Which commands people are always asked about. */
const ASKED_TIER = 3
/** How long people have to answer, in seconds: less than Claude waits for its hook. */
const ANSWER_SECONDS = DIALOG_SECONDS_MAX - 86_400
/** The mode in which Claude skips its permission prompts. */
const SKIPS = 'bypassPermissions'
/** What Claude's notifications say of it. Others, such as that it has had nothing to do for a minute, block nothing. */
const NEEDS: ReadonlyMap<string, TerminalNeed> = new Map([
  ['permission_prompt', 'permission'],
  ['elicitation_dialog', 'answer'],
])

/** Claude goes on as it would without the hook. */
const GOES_ON: ClaudeHookAnswer = {}

export interface HooksDeps {
  readonly asks: Pick<AskService, 'ask'>
  /** Tells the terminal with this session, if it is one of this agent. */
  readonly needs: (visitor: Visitor, what: TerminalNeed | null) => void
}

export class Hooks {
  readonly #deps: HooksDeps

  constructor(deps: HooksDeps) {
    this.#deps = deps
  }

  /**
   * The answer for Claude; null: people have not answered yet, so ask again with the same id. `left` is aborted when the hook
   * has ended.
   */
  async take(visitor: Visitor, id: string, hook: ClaudeHook, left: AbortSignal): Promise<ClaudeHookAnswer | null> {
    this.#deps.needs(visitor, needOf(hook))
    const command = hook.tool_input?.['command']
    if (hook.hook_event_name !== 'PreToolUse' || hook.tool_name !== 'Bash' || typeof command !== 'string')
      return GOES_ON
    const { tier, reasons } = grade(command)
    if (tier < ASKED_TIER) return GOES_ON
    // Claude asks in its own way: in its terminal, or as its protocol has it. Its own rules must not allow it.
    if (hook.permission_mode !== SKIPS) return decided('ask', reasons.join(' '))
    try {
      return toAnswer(await this.#ask(visitor, id, command, { tier, reasons }, left), hook)
    } catch (error) {
      // Too many questions, for example. That is no yes.
      if (error instanceof AppError) return decided('deny', error.message)
      throw error
    }
  }

  #ask(
    visitor: Visitor,
    id: string,
    command: string,
    { tier, reasons }: ReturnType<typeof grade>,
    left: AbortSignal,
  ): Promise<AskedPeople> {
    const question: QuestionOf<'approval'> = {
      ...{ kind: 'approval', tool: 'Bash', command: bounded(command, DIALOG_TEXT_MAX), path: null, input: null },
      ...{ why: null, tier, reasons: [...reasons] },
      // The rest of a command that was cut would be lost.
      editable: command.length <= DIALOG_TEXT_MAX,
    }
    const asked = { id, title: 'Claude wants to use Bash', question, timeout_seconds: ANSWER_SECONDS }
    return this.#deps.asks.ask(visitor, asked, left)
  }
}

/** Whatever else Claude tells its hook, it goes on. */
const needOf = ({ hook_event_name, notification_type = '' }: ClaudeHook): TerminalNeed | null =>
  hook_event_name === 'Notification' ? (NEEDS.get(notification_type) ?? null) : null

const decided = (
  permissionDecision: 'allow' | 'deny' | 'ask',
  permissionDecisionReason: string,
  more: { readonly updatedInput?: Record<string, unknown> } = {},
): ClaudeHookAnswer => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason, ...more },
})

const toAnswer = ({ state, answer }: AskedPeople, { tool_input }: ClaudeHook): ClaudeHookAnswer | null => {
  if (state === 'open') return null
  if (state === 'answered' && answer !== null && 'decision' in answer) return decisionOf(answer, tool_input)
  return decided(
    'deny',
    state === 'expired' ? 'There was no answer in time.' : 'The user does not want to answer this.',
  )
}

const decisionOf = (
  answer: Extract<AnswerDialog, { decision: unknown }>,
  input: ClaudeHook['tool_input'],
): ClaudeHookAnswer => {
  if (answer.decision === 'deny') return decided('deny', answer.reason?.trim() || 'The user does not allow this.')
  const { command } = answer
  return decided('allow', 'A user allowed it.', command === undefined ? {} : { updatedInput: { ...input, command } })
}
