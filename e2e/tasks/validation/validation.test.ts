/** Validations of tasks of the real Claude Code, with the npm of the image. */
// In the short form `../killed-server.test.ts` has a real validation, and the unit tests have every rule.
import '@slipway/testing/long'
import type { Validation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { eventsOf, refusalOf, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { bringManager, type Fetched, projectsOf } from '../../support/tasks/managers.ts'
import {
  cancelValidation,
  ranIn,
  startValidation,
  taskDone,
  validated,
  verdictOf,
} from '../../support/tasks/validations.ts'

const SECRET = 'a-secret-of-the-agent-0815'
const write = (path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `/home/developer/${path}`, content },
})
const sum = (sign: string): string => `export const sum = (a, b) => a ${sign} b\n`

const SCRIPT: Script = {
  '@break': [write('app/sum.mjs', sum('-')), { say: 'Broken.' }],
  '@mend': [write('app/sum.mjs', sum('+')), { say: 'Mended.' }],
  '@package': [write('mono/packages/a/more.mjs', 'export {}\n'), { say: 'Added.' }],
  '@add': [
    { tool: 'Bash', input: { command: 'echo "export {}" >more.mjs', description: 'Add a file' } },
    { say: 'Added.' },
  ],
  '@say': [{ say: 'Nothing to do.' }],
  '@fail': [{ status: 400, say: 'No.' }],
}

const MANIFEST = `{"scripts":{"build":"node --check sum.mjs","test":"node --test"}}`
const TEST = `import { test } from "node:test"
import { equal } from "node:assert"
import { sum } from "./sum.mjs"
test("adds", () => equal(sum(2, 3), 5))
test("prints", () => console.log(process.env.SOME_SECRET, process.env.CI))
`
const PACKAGE = (name: string): string =>
  `mkdir -p packages/${name} && echo '{"name":"${name}","scripts":{"test":"echo ${name} && node --test"}}' >packages/${name}/package.json
  echo 'import { test } from "node:test"; test("is", () => undefined)' >packages/${name}/is.test.mjs`
const PROJECTS = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir app && cd app && git init -q && echo '${MANIFEST}' >package.json && echo '{}' >package-lock.json
  echo '${sum('+')}' >sum.mjs && echo '${TEST}' >sum.test.mjs && git add -A && git commit -qm start
  mkdir ../mono && cd ../mono && git init -q && echo '{"workspaces":["packages/*"],"packageManager":"npm@11.0.0"}' >package.json
  ${PACKAGE('a')}
  ${PACKAGE('b')}
  npm install --offline --no-audit --no-fund >/dev/null && echo node_modules >.gitignore && git add -A && git commit -qm start`

let owner: Client
let agent = ''
/** A task that changed nothing. */
let idle = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await owner.ok('PUT', `/agents/${agent}/variables/SOME_SECRET`, { value: SECRET, secret: true })
  await sh(owner, agent, PROJECTS)
})

const task = (prompt: string, cwd = 'app', more: object = {}) => taskDone(owner, { agent, prompt, cwd, ...more })
/** What is left of the copy of a start. */
const copies = (): Promise<string> => sh(owner, agent, 'ls -A .cache/slipway 2>/dev/null; true')

describe('a validation on demand', () => {
  it('tells that a task broke a test which passed at its start, with the evidence', async () => {
    const { id, validation } = await task('@break')
    expect(validation).toBeNull()
    const started = await startValidation(owner, id)
    expect(started).toMatchObject({ sessionId: id, state: 'running', endedAt: null })
    const failed = await verdictOf(owner, id)
    expect(failed).toMatchObject({
      ...{ state: 'failed', reason: null, root: '/home/developer/app', kind: 'root' },
      ...{ manager: 'npm', managerFrom: 'lock_file' },
    })
    expect(ranIn(failed)).toEqual(['npm run build 0 - 0 -', 'npm run test 1 1/2 0 2/2'])
    const { output, durationMs } = failed.checks[1]?.after ?? {}
    expect(output).toContain('*** 1')
    expect(output).not.toContain(SECRET)
    expect(durationMs).toBeGreaterThan(0)
    expect(await taskOf(owner, id)).toMatchObject({ state: 'completed', validation: 'failed' })
    expect(await copies()).toBe('')
    expect(await sh(owner, agent, 'cat app/sum.mjs')).toBe(sum('-'))
  })

  it('tells that what fails failed before', async () => {
    idle = (await task('@say')).id
    expect(await owner.ok('GET', `/coding-agents/sessions/${idle}/validation`)).toBeNull()
    const before = await validated(owner, idle)
    expect(before.state).toBe('failing_before')
    expect(ranIn(before)).toEqual(['npm run build 0 - 0 -', 'npm run test 1 1/2 1 1/2'])
  })

  it('runs a command of the request by a shell, in place of what is found', async () => {
    const { checks, state } = await validated(owner, idle, { command: 'echo "# pass $((1 + 1))" && exit 3' })
    expect(checks).toMatchObject([
      { argv: ['sh', '-c', expect.any(String)], after: { exitCode: 3, tests: { passed: 2 } } },
    ])
    expect(state).toBe('failing_before')
  })

  it('is ended by its user, by its time, and cannot run twice', async () => {
    const id = idle
    const refused = (method: string): Promise<[number, string]> =>
      refusalOf(owner, method, `/coding-agents/sessions/${id}/validation`, {})
    await startValidation(owner, id, { command: 'sleep 987' })
    expect(await refused('POST')).toEqual([409, 'WRONG_STATE'])
    const sleeps = async (): Promise<boolean> => (await sh(owner, agent, 'ps -eo args')).includes('sleep 987\n')
    await until('the command', sleeps)
    expect(await cancelValidation(owner, id)).toMatchObject({ state: 'not_verified', reason: 'cancelled' })
    await until('its end', async () => !(await sleeps()))
    expect(await refusalOf(owner, 'DELETE', `/coding-agents/sessions/${id}/validation`)).toEqual([409, 'WRONG_STATE'])
    const late = await validated(owner, id, { command: 'sleep 987', timeoutSeconds: 2 })
    expect(late).toMatchObject({ state: 'not_verified', reason: 'timed_out', checks: [{ after: { exitCode: null } }] })
    expect(late.message).toMatch(/time/)
  })

  it('is not verified where nothing can be run, and tells why', async () => {
    const { id } = await task('@say', '.')
    const of = async (setUp: string): Promise<Validation['reason']> => {
      await sh(owner, agent, `rm -rf package.json package-lock.json; ${setUp}`)
      return (await validated(owner, id)).reason
    }
    expect(await of('true')).toBe('no_package')
    expect(await of('ln -s /proc/self/environ package.json')).toBe('unreadable')
    expect(await of('mkfifo package.json')).toBe('unreadable')
    expect(await of('head -c 2000000 /dev/zero | tr "\\0" " " >package.json')).toBe('unreadable')
    expect(await of(`echo '{"scripts":{"test":"node --test none"}}' >package.json`)).toBe('manager_missing')
    const npm = `echo '{}' >package-lock.json; echo`
    expect(await of(`${npm} '{"scripts":{"test":"node --test none/*.mjs"}}' >package.json`)).toBe('no_tests')
    expect(await of(`${npm} '{"scripts":{"test":"vitest run"}}' >package.json`)).toBe('dependencies_missing')
    const offline = '--registry=http://registry.invalid --fetch-retries=0'
    expect(await of(`${npm} '{"scripts":{"test":"npm view left-pad ${offline}"}}' >package.json`)).toBe('no_network')
    await sh(owner, agent, 'rm package.json package-lock.json')
  })
})

/** The short form has npm, which the image brings, in the tests above and below. The others come from the registry. */
const MANAGERS: readonly [Fetched, readonly string[], readonly string[]][] = [
  ['yarn', ['yarn run build', 'yarn run test'], ['yarn workspace @mono/a build', 'yarn workspace @mono/a test']],
  [
    'pnpm',
    ['pnpm run build', 'pnpm run test'],
    ['pnpm --filter=@mono/a --fail-if-no-match run build', 'pnpm --filter=@mono/a --fail-if-no-match run test'],
  ],
  ['bun', ['bun run build', 'bun run test'], ['bun run build', 'bun run test']],
]
describe('a project of another package manager', () => {
  for (const [manager, inRoot, inPackage] of inLongForm(MANAGERS))
    it(`is validated with ${manager}, and so is the changed package of its monorepo`, async () => {
      await sh(owner, agent, projectsOf(manager))
      const missing = await task('@add', manager, { validate: true })
      expect(await verdictOf(owner, missing.id)).toMatchObject({ state: 'not_verified', reason: 'manager_missing' })
      await bringManager(owner, agent, manager)
      const ran = (validation: Validation): string[] => ranIn(validation).map((one) => one.replace(/ \d+ [-\d/]+$/, ''))
      const one = await validated(owner, missing.id)
      expect([one.manager, one.kind, one.state, ran(one)]).toEqual([manager, 'root', 'passed', inRoot])
      expect(one.checks[1]?.after?.tests).toMatchObject({ passed: 1, failed: 0 })
      const { id } = await task('@add', `${manager}-mono/packages/a`, { validate: true })
      const mono = await verdictOf(owner, id)
      expect([mono.manager, mono.kind, mono.state, ran(mono)]).toEqual([manager, 'packages', 'passed', inPackage])
      expect(mono.checks.map(({ package: of }) => of)).toEqual(['packages/a', 'packages/a'])
    })
})

describe('a validation that a task asks for', () => {
  it('runs once the task has completed, with its options', async () => {
    const { id } = await task('@mend', 'app', { validate: true })
    const passed = await verdictOf(owner, id)
    expect(passed).toMatchObject({ state: 'passed', reason: null, message: null })
    expect(ranIn(passed)).toEqual(['npm run build 0 -', 'npm run test 0 2/2'])
    // The events of the task tell it after the end of the task.
    const told = async () =>
      (await eventsOf(owner, id)).flatMap((event) =>
        event.type === 'command' && event.command.startsWith('npm')
          ? [`${event.command} ${event.exitCode}`]
          : event.type === 'validation'
            ? [event.state]
            : [],
      )
    await expect.poll(told).toEqual(['npm run build 0', 'npm run test 0', 'passed'])
    expect((await taskOf(owner, id)).lastSeq).toBe((await eventsOf(owner, id)).length)
    const given = await task('@say', 'app', { validate: { command: 'true' } })
    expect(await verdictOf(owner, given.id)).toMatchObject({ state: 'passed', kind: 'command' })
  })

  it('checks the changed package of a monorepo alone', async () => {
    const { id } = await task('@package', 'mono/packages/a', { validate: true })
    const passed = await verdictOf(owner, id)
    expect(passed).toMatchObject({ state: 'passed', kind: 'packages', root: '/home/developer/mono', manager: 'npm' })
    expect(ranIn(passed)).toEqual(['npm run test --workspace=a 0 1/1'])
    expect(passed.checks[0]?.after?.output).toContain('\na\n')
  })

  it('runs nothing if the task fails', async () => {
    const { id } = await task('@fail', 'app', { validate: true })
    expect(await verdictOf(owner, id)).toMatchObject({
      state: 'not_verified',
      reason: 'task_not_completed',
      checks: [],
    })
  })

  it('needs the scope of a terminal, too', async () => {
    const { token } = await owner.apiToken('tasks:write', 'tasks:read')
    const body = { agent, prompt: '@say', validate: true }
    expect(await refusalOf(owner.with(token), 'POST', '/coding-agents/sessions', body)).toEqual([403, 'FORBIDDEN'])
  })
})
