/** `slipway exec` */
import type { ExecBody } from '@slipway/protocol'
import { EXIT, usage } from '../api/errors.ts'
import { runProgram } from '../api/programs.ts'
import { command, wholeNumber } from '../arguments/command.ts'

/** Most characters of standard input. */
const STDIN_MAX = 1_048_576

export const exec = command({
  name: 'exec',
  about: 'Run a program in an agent to its end: slipway exec AGENT -- ls -l',
  positionals: [
    { name: 'AGENT', kind: 'agent' },
    { name: 'ARGUMENT', kind: 'text', rest: true },
  ],
  options: {
    cwd: { type: 'string', value: 'FOLDER', about: 'A folder in the home of the agent' },
    stdin: { type: 'boolean', short: 'i', about: 'Give the program the standard input of this command' },
    timeout: { type: 'string', value: 'SECONDS', about: 'Longest time; 300 by default' },
    json: { type: 'boolean', about: 'The result as JSON' },
  },
  run: async ({ arguments: [agent = '', ...argv], options }, { client, stdin, out, interrupted }) => {
    const timeoutSeconds = wholeNumber('timeout', options.timeout)
    const body: ExecBody = {
      argv,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(options.stdin === true ? { stdin: await textOf(stdin) } : {}),
    }
    const result = await runProgram(await client(), agent, body, interrupted)
    if (options.json === true) {
      out.json(result)
    } else {
      await out.bytes(result.stdout, 'stdout')
      await out.bytes(result.stderr, 'stderr')
    }
    if (result.truncated) out.note('slipway: the beginning of the output is missing, because it was too long')
    if (result.timedOut) out.note('slipway: the time of the program was over')
    if (result.outOfMemory) out.note('slipway: the memory of the agent ran out')
    return result.timedOut ? EXIT.timedOut : (result.exitCode ?? EXIT.slipwayFailed)
  },
})

const textOf = async (stdin: NodeJS.ReadStream): Promise<string> => {
  let text = ''
  stdin.setEncoding('utf8')
  for await (const chunk of stdin as AsyncIterable<string>) {
    text += chunk
    if (text.length > STDIN_MAX) throw usage(`Standard input has ${STDIN_MAX} characters at most.`)
  }
  return text
}
