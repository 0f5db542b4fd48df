/** The package as `npm pack` makes it, installed without a network, on the Node that runs npm. */
// Before a release. In the short form the other tests of the command run it from its sources.
import '@slipway/testing/long'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { newUser, signInAdmin } from '../support/api.ts'
import { useCommand } from '../support/command.ts'

const ROOT = join(import.meta.dirname, '../..')
/** `engines` of the package allows older ones than the project's own. */
const NODE = process.env.npm_node_execpath ?? process.execPath
const folder = mkdtempSync(join(tmpdir(), 'slipway-test-packed-'))
const installed = join(folder, 'node_modules/@slipway/cli')
const run = promisify(execFile)

const slipway = useCommand(() => [NODE, join(folder, 'node_modules/.bin/slipway')])
beforeAll(async () => {
  const env = { ...process.env, PATH: `${dirname(NODE)}:${process.env.PATH}` }
  await run('npm', ['pack', '--workspace', 'cli', '--pack-destination', folder], { cwd: ROOT, env })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  await run('npm', ['install', '--offline', '--prefix', folder, join(folder, tarball)], { cwd: folder, env })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('has the command, and no source', async () => {
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json'])
  expect(readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES'), 'utf8')).toMatch(/^ws \d/m)
  expect(readdirSync(join(folder, 'node_modules'))).toEqual(expect.not.arrayContaining(['ws']))
  expect((await slipway.run(['--version'])).stdout).toBe('0.1.0\n')
})

it('talks to the server', async () => {
  const person = await newUser(await signInAdmin())
  const { token } = await person.apiToken('agents:read')
  const url = inject('baseUrl')
  expect(await slipway.run(['login', '--server', url], { stdin: token })).toMatchObject({ code: 0, stdout: '' })
  expect(await slipway.run(['agents', '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await slipway.run(['attach', 'none'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('terminal') as string,
  })
})

it('has the library with its types', async () => {
  const program = `import { HeadlessUi, type Logger, type Outcome, RpcUi, DebugUi } from '@slipway/cli/ui'
const line = (text: string): void => console.log(text)
const logger: Logger = { debug: line, info: line, warning: line, error: line }
const answer: Outcome<boolean> = await new HeadlessUi(logger).confirm()
new HeadlessUi(logger).notify(JSON.stringify(answer), 'success')
console.log(typeof RpcUi, typeof DebugUi)
`
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  writeFileSync(join(folder, 'program.mts'), program)
  const tsc = [
    join(ROOT, 'node_modules/typescript-native/bin/tsc'),
    '--strict',
    '--module',
    'nodenext',
    '--types',
    'node',
  ]
  await run(process.execPath, [...tsc, '--target', 'es2023', join(folder, 'program.mts')], { cwd: folder })
  const { stdout } = await run(NODE, [join(folder, 'program.mjs')])
  expect(stdout).toBe('[SUCCESS] {"ok":true,"value":false}\nfunction function\n')
})
