/** Gemini CLI with people: `gemini --acp`. It tells neither the input of its tools nor what its commands print. */
import { readFileSync } from 'node:fs'
import type { ModelUsage } from '@slipway/protocol'
import type { AcpCli } from '../acp/cli.ts'
import { bounded, countIn, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'
import { refusalIn } from '../parts/waits.ts'
import { failureOf } from './failure.ts'

const LATER = readFileSync(new URL('later.sh', import.meta.url), 'utf8')
/** Most models of one process. */
const MODELS_MAX = 50
/** The id of a call begins with the name of its tool. */
const CALL_ID = /^(?<tool>.{1,200}?)__\k<tool>_\d/

export const GEMINI: AcpCli = {
  label: 'Gemini',
  mode: 'default',
  allowOnce: 'proceed_once',
  rejectOnce: 'cancel',
  stopsWhenDenied: false,
  asksAlone: true,
  titleIsCommand: true,
  toolIn: ({ toolCallId }) => CALL_ID.exec(textIn(toolCallId) ?? '')?.groups?.tool ?? null,
  endOf: () => ({ text: null, exitCode: null, isDenied: false }),
  usageIn: ({ _meta: meta }) =>
    listIn(fieldsIn(fieldsIn(meta).quota).model_usage)
      .slice(0, MODELS_MAX)
      .map(usageOf),
  failureOf: ({ code, message }, now) => {
    const status = refusalIn(code)
    const failure = failureOf(status === null ? message : `${message} (status ${status})`, null, now)
    return { ...failure, message: bounded(message === failure.message ? message : failure.message) }
  },
}

const usageOf = ({ model, token_count: count }: Fields): ModelUsage => ({
  model: bounded(textIn(model) ?? ''),
  inputTokens: countIn(fieldsIn(count).input_tokens),
  outputTokens: countIn(fieldsIn(count).output_tokens),
  cacheReadTokens: null,
  cacheWriteTokens: null,
  costUsd: null,
})

/**
 * Gemini names the file of a session by its minute. It would destroy a session that it loads in the minute of its file, so it
 * starts after that.
 */
export const inLaterMinute = (resume: string | null, argv: readonly string[]): readonly string[] =>
  resume === null ? argv : ['/bin/sh', '-c', LATER, 'slipway-later', resume, ...argv]
