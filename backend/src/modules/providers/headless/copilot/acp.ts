/** GitHub Copilot CLI with people: `copilot --acp`. */
import type { ModelUsage } from '@slipway/protocol'
import type { AcpCli, Aside } from '../acp/cli.ts'
import { happeningOf } from '../parts/failures.ts'
import { countIn, type Fields, fieldsIn, integerIn, listIn, textIn } from '../parts/json.ts'
import { failureInAnswer, failureOf, refusalInAnswer } from './failure.ts'
import { EXIT_LINE } from './tools.ts'

const AGENT_MODE = 'https://agentclientprotocol.com/protocol/session-modes#agent'
/** What Copilot says in the place of its model: that it tries again, which file it has written, and that it was denied. */
const INFO = /^Info: (?<text>Request failed .{1,200}|Operation cancelled by user|\/.{1,4096})$/
const RETRY = /\bRetrying\b/

export const COPILOT: AcpCli = {
  label: 'Copilot',
  mode: AGENT_MODE,
  // A user may have allowed everything in a terminal.
  options: { allow_all: 'off' },
  allowOnce: 'allow_once',
  rejectOnce: 'reject_once',
  stopsWhenDenied: true,
  toolIn: () => null,
  endOf: (output) => {
    const exit = listIn(output.contents).find(({ type }) => type === 'shell_exit')
    const text = textIn(output.content) ?? textIn(output.message)
    return {
      text: text?.replace(EXIT_LINE, '') ?? null,
      exitCode: integerIn(exit?.exitCode),
      isDenied: output.code === 'rejected',
    }
  },
  usageIn: ({ usage }) => usageOf(fieldsIn(usage)),
  failureOf: ({ message }, now) => failureOf(message, now),
  asideIn,
}

function asideIn(text: string, now: number): Aside | null {
  const failure = failureInAnswer(text, now) ?? refusalInAnswer(text, now)
  if (failure !== null) return { happenings: [happeningOf(failure)], failure, isRetry: false }
  const info = INFO.exec(text)?.groups?.text
  if (info === undefined) return null
  const isRetry = RETRY.test(info)
  return { happenings: [{ type: 'status', status: isRetry ? 'retrying' : 'notice', message: info }], failure, isRetry }
}

/** Copilot does not name the models. */
const usageOf = (usage: Fields): readonly ModelUsage[] => {
  const inputTokens = countIn(usage.inputTokens)
  if (inputTokens === null) return []
  return [
    {
      model: null,
      inputTokens,
      outputTokens: countIn(usage.outputTokens),
      cacheReadTokens: countIn(usage.cachedReadTokens),
      cacheWriteTokens: countIn(usage.cachedWriteTokens),
      costUsd: null,
    },
  ]
}
