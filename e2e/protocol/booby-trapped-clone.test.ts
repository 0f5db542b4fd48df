/** A repository brings `.mcp.json`, hooks and settings. In its clone, no CLI runs any of them without asking. */
import { readFileSync } from 'node:fs'
import { disconnectAll, TerminalClient, until } from '@slipway/testing'
import { inLongForm, isLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { Emulated } from '../support/terminal/emulated.ts'
import { docker } from '../support/engine.ts'
import { endedTask, startTask } from '../support/tasks/follow.ts'
import { trapFiles } from '../support/agent/traps/repository.ts'
import { useAgent } from '../support/use-agent.ts'

const PORT = 9321
/** Longest time for one prompt, in milliseconds. */
const PROMPT_MS = 200_000
const baseUrl = inject('baseUrl')
const script = (name: string): Buffer => readFileSync(new URL(`../support/agent/traps/${name}`, import.meta.url))

interface Cli {
  readonly name: string
  /** Command for one prompt without a terminal, with all questions switched off. */
  readonly headless: string
  /** Exit code if the CLI refuses to start there. */
  readonly refuses: number | null
  /** The question about the folder on its screen. */
  readonly asks: RegExp
}

const CLIS: readonly Cli[] = [
  {
    name: 'claude',
    headless: 'claude -p hi --dangerously-skip-permissions',
    refuses: null,
    asks: /trust this folder/,
  },
  { name: 'gemini', headless: 'gemini -p hi --yolo', refuses: 55, asks: /trust the files in this folder/ },
  {
    name: 'codex',
    headless: 'codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox hi',
    refuses: null,
    asks: /Trust this folder\?/,
  },
  { name: 'opencode', headless: 'opencode run hi', refuses: 77, asks: /Do you trust this folder/ },
  { name: 'copilot', headless: 'copilot -p hi --allow-all-tools', refuses: 77, asks: /Do you trust this folder/ },
]

/**
 * Those that start in the clone all the same. The others say that they refuse to, so in the short form their question in a terminal
 * and their control are left out.
 */
const STARTING = CLIS.filter(({ refuses }) => refuses === null)
const REFUSING = CLIS.filter((cli) => !STARTING.includes(cli))

const its = useAgent({ memoryMb: 3072, cpus: 2 })

/** Runs a line as the agent's user, or as root. Returns its output and its exit code. */
const run = async (line: string, root = false): Promise<{ text: string; exitCode: number }> => {
  const exec = await docker.getContainer(its.container).exec({
    Cmd: ['bash', '-c', line],
    ...(root && { User: '0' }),
    AttachStdout: true,
    Tty: true,
  })
  const stream = await exec.start({ Tty: true })
  let text = ''
  for await (const chunk of stream) text += (chunk as Buffer).toString()
  // The output ends before the engine has the exit code.
  const exitCode = await until('its exit code', async () => {
    const { Running, ExitCode } = await exec.inspect()
    return Running ? null : ExitCode
  })
  return { text: text.trim(), exitCode }
}
const heard = async (): Promise<string[]> => {
  const { text } = await run(`curl -s http://127.0.0.1:${PORT}/heard`)
  return text.split(/\s+/).filter((trap) => trap !== '')
}
const forget = (): Promise<unknown> => run(`curl -s -X DELETE http://127.0.0.1:${PORT}/heard`)
/** Also those that have left the group of processes of their CLI. */
const endAllIn = (folder: string): Promise<unknown> =>
  run(`inside() {
      for process in /proc/[0-9]*; do
        case $(readlink $process/cwd) in "$HOME/${folder}" | "$HOME/${folder}"/*) echo \${process#/proc/} ;; esac
      done
    }
    while left=$(inside) && [ -n "$left" ]; do kill -9 $left; sleep 0.1; done`)
/**
 * Runs one prompt in a folder. Ends the CLI's leftover processes, so that their requests do not count for the next CLI.
 */
const prompt = async ({ headless }: Cli, folder: string, onTerminal = false) => {
  await forget()
  const kept = onTerminal ? '' : '2>&1 | tail -c 2000; exit ${PIPESTATUS[0]}'
  const result = await run(
    `. ~/environment; cd ~/${folder} && timeout ${PROMPT_MS / 1000} ${headless} </dev/null ${kept}`,
  )
  const traps = await heard()
  await endAllIn(folder)
  return { ...result, heard: traps }
}

/** One prompt in a folder springs a trap. One is enough, so the program need not finish. */
const springs = async (cli: Cli, folder: string): Promise<void> => {
  const prompted = prompt(cli, folder)
  const result = await Promise.race([
    prompted,
    until('a trap to spring', async () => (await heard()).length > 0, PROMPT_MS).then(() => null),
  ])
  if (result) expect(result.heard, result.text).not.toEqual([])
  await run('pkill -x timeout')
  await prompted
}

beforeAll(async () => {
  const { name } = its.agent
  await its.owner.upload(name, 'listener.mjs', script('listener.mjs'))
  await its.owner.upload(name, 'set-up.mjs', script('set-up.mjs'))
  await its.owner.upload(name, 'files.json', JSON.stringify(trapFiles({ port: PORT })))
  const { text, exitCode } = await run(`node set-up.mjs files.json ${PORT}`)
  expect(text).toBe('')
  expect(exitCode).toBe(0)
  const exec = await docker.getContainer(its.container).exec({ Cmd: ['node', 'listener.mjs', String(PORT)] })
  await exec.start({ Detach: true })
  await until('the listener', async () => (await run(`curl -s http://127.0.0.1:${PORT}/heard`)).exitCode === 0)
})
afterEach(disconnectAll)

describe('the listener', () => {
  it('hears, so that its silence means something', async () => {
    await run(`curl -s http://127.0.0.1:${PORT}/trap/control`)
    expect(await heard()).toEqual(['control'])
    await forget()
  })
})

describe.each(CLIS)('a repository brings .mcp.json, hooks, settings: in a booby-trapped clone, $name', (cli) => {
  it('without a terminal runs nothing that the clone brought, with all questions off: the listener hears nothing', async () => {
    const { heard: traps, exitCode, text } = await prompt(cli, 'clone')
    expect(traps).toEqual([])
    expect(exitCode, text).toBe(cli.refuses ?? 0)
    if (cli.refuses === null) expect(text).toContain('Understood.')
    else expect(text).toMatch(/trust/)
  })

  // As a task in the mode `pty` starts it. In the short form those that start there; the others refuse to in the same way.
  const itOnTerminal: typeof longIt = STARTING.includes(cli) ? it : longIt
  itOnTerminal(
    'with a terminal for its output alone runs nothing that the clone brought: the listener hears nothing',
    async () => {
      const { heard: traps, exitCode, text } = await prompt(cli, 'clone', true)
      expect(traps).toEqual([])
      expect(exitCode, text).toBe(cli.refuses ?? 0)
    },
  )

  const itAsks: typeof longIt = STARTING.includes(cli) ? it : longIt
  itAsks('asks in a terminal, and runs nothing until it is answered', async () => {
    const path = `${its.path}/terminal?mode=bash`
    const client = await TerminalClient.open(
      { baseUrl, path },
      { type: 'auth', token: its.owner.token, v: 2, cols: 120, rows: 40 },
    )
    const screen = new Emulated(client)
    await forget()
    client.type(`. ~/environment; cd ~/clone; clear; ${cli.name}\r`)
    await screen.shows(cli.asks)
    expect(await heard()).toEqual([])
  })
})

describe('a task in the clone that may ask people', () => {
  // The protocol has a field for the folder. If a client names it, Codex trusts the folder and starts its programs.
  it('with the app server of Codex runs nothing that the clone brought, and leaves the folder untrusted', async () => {
    await forget()
    const body = { agent: its.agent.name, provider: 'codex', prompt: 'hi', cwd: 'clone', policy: 'ask' }
    const first = await startTask(its.owner, body)
    expect(await endedTask(its.owner, first.id)).toMatchObject({ state: 'completed', result: 'Understood.' })
    const second = await startTask(its.owner, { ...body, resume: first.id })
    expect(await endedTask(its.owner, second.id)).toMatchObject({ state: 'completed', result: 'Understood.' })
    expect(await heard()).toEqual([])
    expect((await run('grep -F /clone ~/.codex/config.toml')).text).toBe('')
  })
})

describe('a worktree of a clone that the user trusts', () => {
  beforeAll(async () => {
    const lines = [
      'git -C clone worktree add -q --detach ../tree',
      // A folder that only claims to be that worktree.
      'cp -r clone false && rm -rf false/.git && cp tree/.git false/.git',
      // The answers of a user to all CLIs, about the clone alone.
      'mkdir -p .config/slipway && echo "$HOME/clone" >>.config/slipway/trusted-folders',
      `printf '{"%s": "TRUST_FOLDER"}' "$HOME/clone" >.gemini/trustedFolders.json`,
      `jq --arg folder "$HOME/clone" '.projects[$folder].hasTrustDialogAccepted = true' .claude.json >new.json`,
      'mv new.json .claude.json',
    ]
    expect(await run(`cd && ${lines.join(' && ')}`)).toEqual({ text: '', exitCode: 0 })
  })
  // Codex finds the repository of a worktree by itself.
  const ASKED = CLIS.filter(({ name }) => name !== 'codex')

  // Gemini alone has a list of its own for this; it takes twelve seconds of a core.
  it.each([...ASKED.slice(0, 1), ...inLongForm(ASKED.slice(1))])('has its trust: $name does not ask', (cli) =>
    springs(cli, 'tree'),
  )

  // One program of the image refuses for all but Gemini, which needs seconds to say so.
  const REFUSED = ASKED.filter(({ refuses }) => refuses !== null)
  it.each(REFUSED.filter(({ name }) => isLongForm || name !== 'gemini'))(
    'only if it is one: $name still refuses',
    async (cli) => {
      const { heard: traps, exitCode, text } = await prompt(cli, 'false')
      expect(traps).toEqual([])
      expect(exitCode, text).toBe(cli.refuses)
    },
  )
})

describe('git in a folder that only looks like a bare repository', () => {
  it('does not run what its configuration says', async () => {
    await forget()
    const { text } = await run('cd ~/clone/assets && git status 2>&1')
    expect(text).toContain('safe.bareRepository')
    expect(await heard()).toEqual([])
  })
})

describe('what root put into the image', () => {
  it('is nothing that the agent could change', async () => {
    const { text } = await run(
      'find /usr/local/bin /usr/local/lib/slipway /etc/gemini-cli /etc/gitconfig \\( -writable -o ! -user root \\) ! -type l',
    )
    expect(text).toBe('')
  })
})

describe('without what root put into the image, the traps of another clone spring', () => {
  beforeAll(async () => {
    const lines = [
      'rm /etc/gemini-cli/settings.json /etc/gitconfig',
      'for cli in /usr/local/lib/slipway/clis/*; do cp -P --remove-destination "$cli" /usr/local/bin/; done',
    ]
    expect(await run(lines.join(' && '), true)).toEqual({ text: '', exitCode: 0 })
  })

  beforeAll(async () => {
    // Codex trusts no folder without an answer. As a control, this stores the answer that a user would give.
    await run(`printf '\n[projects."/home/developer/second"]\ntrust_level = "trusted"\n' >> ~/.codex/config.toml`)
  })

  it.each([...STARTING, ...inLongForm(REFUSING)])('under $name', (cli) => springs(cli, 'second'))

  it('under git', async () => {
    await forget()
    await run('cd ~/second/assets && git status')
    expect(await heard()).toEqual(['git-fsmonitor'])
  })
})
