/** `slipway run` */
import type { CreateCodingSession } from '@slipway/protocol'
import { startRun } from '../api/runs.ts'
import { EXIT, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { workFields, workOptions } from '../arguments/work.ts'
import { follow } from '../follow/follow.ts'
import { followOptions, followSettings } from '../follow/options.ts'

/** Longest prompt, in UTF-16 code units. */
const PROMPT_MAX = 1_048_576

/** The prompt of the arguments, or of standard input. */
const promptOf = async (text: string, stdin: NodeJS.ReadStream): Promise<string> => {
  if (text !== '-') return text
  let prompt = ''
  stdin.setEncoding('utf8')
  for await (const chunk of stdin as AsyncIterable<string>) {
    prompt += chunk
    if (prompt.length > PROMPT_MAX) throw usage(`A prompt has ${PROMPT_MAX} characters at most.`)
  }
  return prompt
}

export const run = command({
  name: 'run',
  about: 'Hand an agent a task; the prompt - is read from standard input',
  positionals: [
    { name: 'AGENT', kind: 'agent' },
    { name: 'PROMPT', kind: 'text' },
  ],
  options: {
    ...workOptions,
    resume: { type: 'string', value: 'ID', about: 'Continue the conversation of an earlier task' },
    queue: { type: 'boolean', about: 'Wait in line where the task cannot start now' },
    ...followOptions,
  },
  run: async ({ arguments: [agent = '', prompt = ''], options }, context) => {
    const settings = followSettings(options)
    if (prompt === '-' && settings?.ui !== undefined && settings.ui !== 'headless')
      throw usage('Standard input has the answers, so the prompt cannot come from it.')
    const { resume } = options
    const body: CreateCodingSession = {
      ...{ agent, prompt: await promptOf(prompt, context.stdin) },
      ...workFields(options),
      ...(resume === undefined ? {} : { resume }),
      ...(options.queue === true ? { queue: true } : {}),
    }
    const client = await context.client()
    const session = await startRun(client, body, context.interrupted)
    if (settings !== null) return follow(client, session, settings, context)
    if (options.json === true) context.out.json(session)
    else {
      context.out.say(session.id)
      context.out.note(`The task is ${session.state}. "slipway runs ${session.id} --follow" follows it.`)
    }
    return EXIT.done
  },
})
