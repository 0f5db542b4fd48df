import type { ExecResult } from '@slipway/protocol'
import { disconnectAll } from '@slipway/testing'
import { inTurn } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { openBash, openTerminal } from '../../../../test/support/terminals/terminal.ts'

const { namespace, runtime } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
afterEach(disconnectAll)
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)

const exec = async (script: string): Promise<string> =>
  (await owner('POST /agents/worker/exec', { argv: ['sh', '-c', script] })).json<ExecResult>().stdout

beforeAll(async () => {
  await owner('POST /agents?wait=true', newAgent('worker'))
  // Stands for any CLI. It prints its variables in lines that fit into the terminal.
  await exec(String.raw`mkdir -p ~/.local/bin && cd ~/.local/bin && printf '%s\n' '#!/bin/sh' \
    'for name in SHELL USER LOGNAME HOME LANG TERM; do eval "echo \"$name=[\$$name]\""; done' \
    'case :$PATH: in *:$HOME/.local/bin:*) echo "PATH=[home]" ;; esac' \
    'echo printed; read -r line' >print-env && chmod +x print-env && for name in claude gemini codex; do ln -s print-env $name; done`)
})

const openCli = async (mode: string) => {
  const path = `/agents/worker/terminal?mode=${mode}`
  const terminal = await openTerminal(team(), path, { token: team().owner.token, cols: 80, rows: 24 })
  await terminal.until('its environment', () => terminal.text.includes('printed'))
  const { text } = terminal
  terminal.type('\r')
  await terminal.closed
  return text
}

describe('what ~/.profile sets', () => {
  it.each(inTurn(['claude', 'gemini', 'codex'], 0))('is set in a terminal with %s', async (mode) => {
    await exec('echo "export LANG=de_DE.UTF-8" >~/.profile')
    expect(await openCli(mode)).toContain('LANG=[de_DE.UTF-8]')
  })

  it('does not keep a CLI from starting, and the terminal says so', async () => {
    await exec('echo "exit 1" >~/.profile')
    const text = await openCli('gemini')
    expect(text).toContain('The login shell ended early, so gemini starts without what ~/.profile sets.')
    expect(text).toContain('LANG=[C.UTF-8]')
    await exec('rm ~/.profile')
  })
})

describe('the variables of an agent', () => {
  const put = (name: string, value: string, secret = false) =>
    owner(`PUT /agents/worker/variables/${name}`, { value, secret })
  const remove = (name: string) => owner(`DELETE /agents/worker/variables/${name}`)

  it('go to every CLI, to shells and to programs over the API, plain or secret', async () => {
    const value = 'größer $(id) "\'\n\tsecond line'
    await put('PLAIN', value)
    await put('SECRET', value, true)
    for (const name of ['PLAIN', 'SECRET'])
      expect(await exec(`printenv ${name}; printenv ${name} >~/${name}`)).toBe(`${value}\n`)
    const terminal = await openBash(team(), 'worker', team().owner.token)
    await terminal.run('for n in PLAIN SECRET; do printenv $n | cmp - ~/$n && echo same-$n; done')
    for (const name of ['PLAIN', 'SECRET']) expect(terminal.text).toContain(`same-${name}\r`)
    terminal.type('exit\r')
    await terminal.closed
    await put('LANG', 'fr_FR.UTF-8', true)
    expect(await openCli('gemini')).toContain('LANG=[fr_FR.UTF-8]')
    for (const name of ['PLAIN', 'SECRET', 'LANG']) await remove(name)
    expect(await exec('printenv PLAIN SECRET')).toBe('')
  })

  it('count more than a credential of the same name, and less than what a caller gives', async () => {
    await owner('PUT /agents/worker/credentials/gemini-api-key', { value: 'of-the-credential' })
    await put('GEMINI_API_KEY', 'of-the-variable', true)
    expect(await exec('printenv GEMINI_API_KEY')).toBe('of-the-variable\n')
    const body = { argv: ['printenv', 'GEMINI_API_KEY'], env: { GEMINI_API_KEY: 'of-the-caller' } }
    expect((await owner('POST /agents/worker/exec', body)).json<ExecResult>().stdout).toBe('of-the-caller\n')
    await owner('DELETE /agents/worker/credentials/gemini-api-key')
    // The key counts no matter which user set it, so the notice about a missing key does not appear.
    expect(await openCli('gemini')).not.toContain('No Gemini key is set')
    await remove('GEMINI_API_KEY')
    expect(await openCli('gemini')).toContain('No Gemini key is set')
  })
})

describe('what a login sets', () => {
  const LOGIN = [
    'SHELL=[/bin/bash]',
    'USER=[developer]',
    'LOGNAME=[developer]',
    'HOME=[/home/developer]',
    'LANG=[C.UTF-8]',
    'PATH=[home]',
  ]

  it.each(inTurn(['claude', 'gemini', 'codex'], 2))('is set in a terminal with %s', async (mode) => {
    const text = await openCli(mode)
    for (const line of [...LOGIN, 'TERM=[xterm-256color]']) expect(text).toContain(line)
  })

  it('is set in a shell', async () => {
    const terminal = await openBash(team(), 'worker', team().owner.token)
    await terminal.run('print-env </dev/null; node -p process.env.SHELL')
    for (const line of LOGIN) expect(terminal.text).toContain(line)
    expect(terminal.text).toContain('\n/bin/bash\r')
  })

  it('is set for a program over the API', async () => {
    const printed = await exec('print-env </dev/null')
    for (const line of LOGIN) expect(printed).toContain(line)
  })

  it('gives way to what a caller sets for a program', async () => {
    const argv = ['printenv', 'LANG', 'SHELL']
    const answer = await owner('POST /agents/worker/exec', { argv, env: { LANG: 'POSIX', SHELL: '/bin/sh' } })
    expect(answer.json<ExecResult>().stdout).toBe('POSIX\n/bin/sh\n')
  })
})
