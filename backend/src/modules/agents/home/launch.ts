/** What is started in an agent's container when somebody opens a terminal. */
import { PLACEHOLDER_KEY } from './seed.ts'

export interface LaunchOptions {
  /** Already validated; never begins with a dash. */
  readonly model: string | null
  readonly skipPermissions: boolean
  /** The system agent never skips permissions, whatever its settings say. */
  readonly isSystem: boolean
}

export interface LaunchSpec {
  readonly argv: string[]
  /** Everything the program gets besides the image's own environment. */
  readonly env: Record<string, string>
  /** One line for the person about what is missing, or null. */
  readonly notice: string | null
}

/** A terminal with 24-bit colours and UTF-8, as xterm.js is one. */
const TERMINAL = { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8' }

interface Launcher {
  readonly argv: (options: { model: string[]; skips: boolean }) => string[]
  readonly env?: Record<string, string>
  readonly notice?: string
}

/** The CLIs whose options are known. `model` is `--model M` or nothing. */
const launchers: Record<string, Launcher> = {
  bash: { argv: () => ['/bin/bash', '--login'] },
  claude: {
    argv: ({ model, skips }) => [
      'claude',
      ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
      ...model,
    ],
  },
  gemini: {
    argv: ({ model }) => ['gemini', ...model],
    // Without any key it asks for one before it shows its prompt.
    env: { GEMINI_API_KEY: PLACEHOLDER_KEY },
    notice: 'No Gemini key is set: type /auth in Gemini to sign in, or set GEMINI_API_KEY.',
  },
  codex: {
    argv: ({ model, skips }) => [
      'codex',
      // Its background server would copy 400 MB into the home and outlive the terminal.
      '--no-daemon',
      ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      ...model,
    ],
    notice: 'Codex needs a sign-in before it can answer: run "codex login --device-auth" in bash.',
  },
  copilot: { argv: ({ model }) => ['copilot', ...model] },
  opencode: { argv: ({ model }) => ['opencode', ...model] },
}

/**
 * The program of a terminal, its environment, and a hint for the person.
 *
 * @param mode `claude`, `gemini`, `codex`, `bash`, or the name of another CLI of the image, which is then started
 *   without options
 */
export const launchSpec = (mode: string, { model, skipPermissions, isSystem }: LaunchOptions): LaunchSpec => {
  const launcher: Launcher = Object.hasOwn(launchers, mode) ? launchers[mode]! : { argv: () => [mode] }
  const skips = skipPermissions && !isSystem
  return {
    argv: launcher.argv({ model: model === null ? [] : ['--model', model], skips }),
    env: { ...TERMINAL, ...launcher.env },
    notice: launcher.notice ?? null,
  }
}
