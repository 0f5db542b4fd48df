import { AGENT_HOME } from '@slipway/protocol'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { openTerminal } from '../../../../test/conformance/terminal.ts'
import { sessionEnvironment } from './environment.ts'
import { LOGIN_SECONDS, loginArgv } from './login.ts'

const { runtime } = useEngine()
let containerId = ''

beforeAll(async () => {
  containerId = (await runtime.launch(newSpec(IMAGE))).id
})

const write = async (profile: string): Promise<void> => {
  const options = { timeoutMs: 10_000, maxOutputBytes: 1000, input: Buffer.from(profile) }
  const { exitCode } = await runtime.run(containerId, { ...options, argv: ['sh', '-c', 'cat >~/.profile'] })
  expect(exitCode).toBe(0)
}

/** What a program prints in a terminal that starts after this ~/.profile is written. */
const printed = async (
  profile: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<{ text: string; exitCode: number | null }> => {
  await write(profile)
  return shown(argv, env)
}
const shown = async (argv: readonly string[], env: Record<string, string> = {}) => {
  const options = { env: sessionEnvironment(env), folder: AGENT_HOME }
  const terminal = await openTerminal({ runtime, containerId }, loginArgv(argv), options)
  const { exitCode } = await terminal.pty.exit
  return { text: terminal.text, exitCode }
}

describe('a program that starts as by a login shell', () => {
  it.each<[string, string, string, string]>([
    ['a variable', 'export FOO=x TZ=Europe/Berlin', 'FOO', 'x'],
    ['another one', 'export FOO=x TZ=Europe/Berlin', 'TZ', 'Europe/Berlin'],
    ['lines, quotes and what a shell would run', String.raw`export FOO=$'a\n$(id) \'";&'`, 'FOO', 'a\r\n$(id) \'";&'],
    ['a name that scripts like to use', 'export name=n names=ns at=a limit=1 IFS=:', 'limit', '1'],
    ['what the program was given, changed', 'export GIVEN="$GIVEN and more"', 'GIVEN', 'given and more'],
    ['text that is no ASCII', 'export FOO=größer😀', 'FOO', 'größer😀'],
  ])('has %s', async (_what, profile, name, value) => {
    expect((await printed(profile, ['printenv', name], { GIVEN: 'given' })).text).toBe(`${value}\r\n`)
  })

  it('does not have what ~/.profile unsets', async () => {
    expect(await printed('unset GIVEN', ['printenv', 'GIVEN'], { GIVEN: 'given' })).toEqual({ text: '', exitCode: 1 })
  })

  it('is looked for on the PATH that ~/.profile sets', async () => {
    const profile = `mkdir -p ~/tools && ln -sf /bin/echo ~/tools/says && export PATH="$HOME/tools:$PATH"`
    expect((await printed(profile, ['says', 'hi'])).text).toBe('hi\r\n')
  })

  it('keeps the session that it belongs to, and its folder', async () => {
    const { text } = await printed('cd /; export SLIPWAY_SESSION=other', ['sh', '-c', 'pwd; printenv SLIPWAY_SESSION'])
    expect(text).toMatch(/^\/home\/developer\r\n/)
    expect(text).not.toContain('other')
  })

  it('takes its arguments as they are, and no shell looks at them', async () => {
    const argument = '$(id) `id`; "\'\\ * --login'
    expect((await printed('', ['printf', '%s', argument])).text).toBe(argument)
  })

  it('has no child that it does not know, and hears Ctrl+C', async () => {
    const script = 'ps -o comm= --ppid $$ | grep -v ps; grep SigIgn /proc/self/status'
    const { text } = await printed('sleep 3005 &', ['sh', '-c', script])
    expect(text).toContain('SigIgn:\t0000000000000000')
    expect(text).not.toMatch(/bash|setsid|sleep|defunct/)
  })

  it('is as it was without ~/.profile', async () => {
    await runtime.run(containerId, { argv: ['rm', '-f', '.profile'], timeoutMs: 10_000, maxOutputBytes: 0 })
    expect((await shown(['echo', 'hi'])).text).toBe('hi\r\n')
  })

  it('says by its exit code that there is no such program', async () => {
    const { text, exitCode } = await printed('', ['no-such-program'])
    expect(exitCode).toBe(127)
    expect(text).toContain('no-such-program: not found')
  })
})

/** Waits up to ten seconds: a killed process stays listed until the kernel has run it once more. */
const ENDED =
  'n=0; while pgrep -fx "[s]leep 3006|/bin/bash [-]-login -c .*" >/dev/null && [ $((n+=1)) -lt 200 ]; do sleep 0.05; done'

describe('a ~/.profile that fails', () => {
  it.each([
    ['exits', 'export FOO=x; exit 3'],
    ['becomes another program', 'export FOO=x; exec cat'],
    ['asks the user', 'export FOO=x; read -r answer </dev/tty || exit 1'],
    ['ends itself', 'kill -KILL $$'],
    ['closes what it should answer on', 'exec 3>&-; export FOO=x'],
    ['has no PATH and no builtins', 'PATH= ; exec() { :; }; printf() { return 1; }; export FOO=x'],
  ])('and %s costs the program nothing else', async (_what, profile) => {
    const { text, exitCode } = await printed(profile, ['echo', 'started'])
    expect(text).toContain('starts without what ~/.profile sets')
    expect(text).toContain('started\r\n')
    expect(exitCode).toBe(0)
  })

  it('at a line of it has set what is before that line', async () => {
    expect((await printed('export FOO=x\nno-such-command\nif then', ['printenv', 'FOO'])).text).toBe('x\r\n')
  })

  it.each<[what: string, profile: string]>([
    ['never ends', 'sleep 3006'],
    // They take a core for five seconds, or are ended in the same way as the first one.
    ...inLongForm<[string, string]>([
      ['prints for ever', 'yes; yes >&2'],
      ['stops itself', 'kill -STOP $$'],
      ['loops', 'while :; do :; done'],
      ['answers for ever', String.raw`while :; do printf 'A=b\0' >&3; done`],
      ['ignores what would end it', "trap '' TERM HUP INT; sleep 3006; sleep 3006"],
    ]),
  ])(`and %s is ended after ${LOGIN_SECONDS} seconds`, async (_what, profile) => {
    const { text, exitCode } = await printed(profile, ['sh', '-c', `echo started; ${ENDED}; ps -eo stat,args`])
    expect(text).toMatch(/The login shell (took longer than 5 seconds|ended early), so sh starts/)
    expect(text).toContain('started\r\n')
    expect(text).not.toMatch(/--login -c|sleep 3006/)
    expect(exitCode).toBe(0)
  })
})
