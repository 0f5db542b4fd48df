/** The system agent, whose Claude Code answers as a script says. */
import { readFileSync } from 'node:fs'
import type { Agent, ExecResult } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
import type { Client } from '../api.ts'
import { type Script, SETUPS, startModel } from './model.ts'

/** Runs a script in the system agent, to its end, and returns its output. */
export const shInSystem = async (admin: Client, script: string, ...args: string[]): Promise<string> => {
  const body = { argv: ['sh', '-c', script, 'sh', ...args] }
  const { exitCode, stdout, stderr } = await admin.ok<ExecResult>('POST', '/system-agent/exec', body)
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stdout}${stderr}`)
  return stdout
}

/** Starts the model server there, and makes Claude Code use it. */
export const giveSystemAgentModel = async (admin: Client, script: Script): Promise<void> => {
  await until(
    'the system agent',
    async () => (await admin.ok<Agent>('GET', '/system-agent')).state === 'running',
    120_000,
  )
  const { server, variables } = SETUPS['claude-code']
  const put = (name: string, content: string): Promise<string> =>
    shInSystem(admin, 'printf %s "$2" >"$1"', name, content)
  for (const name of server) await put(name, readFileSync(new URL(`../agent/${name}`, import.meta.url), 'utf8'))
  await put('steps.json', JSON.stringify(script))
  await shInSystem(admin, startModel('claude-code'))
  for (const [name, value] of Object.entries(variables))
    await admin.ok('PUT', `/system-agent/variables/${name}`, { value, secret: name.endsWith('KEY') })
}

/** Opens Claude Code in the system agent, with the size of an `Emulated` screen. */
export const openSystemClaude = ({ baseUrl, token }: Client): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl, path: '/system-agent/terminal?mode=claude' },
    { type: 'auth', token, v: 2, cols: 120, rows: 40 },
  )
