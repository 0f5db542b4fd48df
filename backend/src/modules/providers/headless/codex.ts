/** Codex without a terminal: `codex exec --json`. With people: `codex app-server`. */
import { AppServerReading } from './codex/app-server/reading.ts'
import { reply } from './codex/app-server/replies.ts'
import { keyArgv, keyRefusalOf } from './codex/key.ts'
import { CodexReading } from './codex/reading.ts'
import { serverSettings } from './codex/servers.ts'
import type { Headless, HeadlessOptions, HeadlessProgram } from './headless.ts'

/** Codex has no limit of turns and no budget, and it does not tell when a turn of the model begins. */
const program = ({
  prompt,
  model,
  resume,
  forks = false,
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
      ...(resume === null ? [] : [forks ? 'fork' : 'resume', resume]),
      // The prompt is on standard input.
      '-',
    ],
    env,
    stdin: Buffer.from(prompt),
  }
}

/**
 * Whether a terminal's keyboard is typed on is not asked about: a model that may run `bash` once could run everything
 * there. So commands get no terminal, and their input is empty.
 */
const NO_TYPING = ['-c', 'features.unified_exec_tty=false'] as const

/** Its prompt, its model and that it must ask are told over its protocol. */
const askingProgram = ({ hasKey = false, variables = {}, servers }: HeadlessOptions): HeadlessProgram => {
  const { argv: settings, env } = serverSettings(servers)
  return {
    argv: ['codex', 'app-server', ...NO_TYPING, ...(hasKey ? keyArgv(variables) : []), ...settings],
    env,
    stdin: new Uint8Array(),
  }
}

/** A command that runs outlives an interrupt of Codex, so the whole process tree has to be ended. */
export const headless: Headless = {
  program,
  people: {
    program: askingProgram,
    output: { read: (options) => new AppServerReading(options), answersInterrupt: false },
    reply,
    steers: true,
  },
  keyRefusal: keyRefusalOf,
  read: (options) => new CodexReading(options),
  answersInterrupt: false,
  forks: true,
  takesServers: true,
}
