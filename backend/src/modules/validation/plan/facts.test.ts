import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunOptions, RunResult } from '../../../runtime/port.ts'
import { type Facts, factsOf } from './facts.ts'

let home = ''
beforeEach(() => (home = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-facts-')))))
afterEach(() => rmSync(home, { recursive: true }))

/** Runs the script on this machine, with another home. */
const run = async (_: string, { argv, input }: RunOptions): Promise<RunResult> => {
  const [program = '', ...args] = argv.slice(argv.indexOf('node'))
  const asked = JSON.parse(Buffer.from(input ?? []).toString()) as object
  const child = spawn(program === 'node' ? process.execPath : program, args)
  child.stdin.end(JSON.stringify({ ...asked, home }))
  const [stdout, stderr, exitCode] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? -1))),
  ])
  return { exitCode, stdout, stderr }
}
const factsIn = (cwd: string, changed: string[] = []): Promise<Facts | null> =>
  factsOf({ run }, 'container', { cwd: join(home, cwd), changed })
const put = (path: string, content: string | object = ''): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('the facts of a project', () => {
  it('are those of the nearest folder with a package.json, up to the top of the work tree', async () => {
    put('package.json', { scripts: { test: 'outside' } })
    put('app/.git/HEAD')
    put('app/package.json', { packageManager: 'yarn@4.1.0', scripts: { test: 'a', build: 'b', other: 'c', start: 1 } })
    put('app/yarn.lock')
    put('app/src/deep/x')
    expect(await factsIn('app/src/deep')).toMatchObject({
      ...{ root: join(home, 'app'), prefix: '', files: ['yarn.lock'], command: null, truncated: false },
      manifests: { '': { packageManager: 'yarn@4.1.0', hasWorkspaces: false, scripts: { test: 'a', build: 'b' } } },
    })
    put('bare/.git/HEAD')
    expect(await factsIn('bare')).toMatchObject({ root: join(home, 'bare'), manifests: {} })
  })

  it('have the workspace above a package, and the manifests above changed files', async () => {
    put('mono/.git/HEAD')
    put('mono/web/package.json', { workspaces: { packages: ['packages/*'] } })
    put('mono/web/packages/a/package.json', { name: 'a', dependencies: { b: '*' } })
    put('mono/web/packages/a/node_modules/b/index.js')
    put('mono/web/packages/b/package.json', { name: 'b' })
    const facts = await factsIn('mono/web/packages/a', ['web/packages/a/src/gone', 'web', 'server', '../..'])
    expect(facts).toMatchObject({
      ...{ root: join(home, 'mono/web'), prefix: 'web' },
      manifests: { '': { hasWorkspaces: true }, 'packages/a': { name: 'a', hasDependencies: true, isInstalled: true } },
    })
    expect(Object.keys(facts?.manifests ?? {})).toHaveLength(2)
  })

  it("have the person's command for the project, by the name of its folder", async () => {
    put('.config/slipway/validation.json', { commands: { app: 'make check', other: '  ', number: 1 } })
    for (const name of ['app', 'other', 'number', 'toString']) put(`${name}/package.json`, {})
    const commands = await Promise.all(['app', 'other', 'number', 'toString'].map((name) => factsIn(name)))
    expect(commands.map((facts) => facts?.command)).toEqual(['make check', null, null, null])
  })

  it("have that command in a worktree by the name of its repository's folder, and by that of its own folder first", async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: home })
    put('.config/slipway/validation.json', { commands: { app: 'make check', mine: 'make mine' } })
    put('app/package.json', {})
    git('init', '-q', 'app')
    git('-C', 'app', 'add', '-A')
    git('-C', 'app', 'commit', '-qm', 'one')
    for (const tree of ['trees/app-1a2b3c4d5e6f', 'mine']) git('-C', 'app', 'worktree', 'add', '-q', join(home, tree))
    git('clone', '-q', '--bare', 'app', 'bare/app.git')
    git('-C', 'bare/app.git', 'worktree', 'add', '-q', join(home, 'of-bare'))
    // It claims to be a worktree of the repository, which does not name it.
    put('claims/package.json', {})
    put('claims/.git', `gitdir: ${join(home, 'app/.git/worktrees/mine')}\n`)
    const folders = ['trees/app-1a2b3c4d5e6f', 'mine', 'of-bare', 'claims']
    const commands = await Promise.all(folders.map((folder) => factsIn(folder)))
    expect(commands.map((facts) => facts?.command)).toEqual(['make check', 'make mine', 'make check', null])
  })
})

describe('a hostile project that is validated', () => {
  it('has a manifest that cannot be read if that is a link, a folder, too large, or no JSON object', async () => {
    put('secret', { name: 'secret' })
    mkdirSync(join(home, 'link'))
    symlinkSync(join(home, 'secret'), join(home, 'link/package.json'))
    put('folder/package.json/x')
    put('large/package.json', ' '.repeat(1_048_577))
    put('list/package.json', '[]')
    put('broken/package.json', '{"name": ')
    for (const name of ['link', 'folder', 'large', 'list', 'broken'])
      expect((await factsIn(name))?.manifests).toEqual({ '': null })
  })

  it('is read inside the home and inside the root alone', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'slipway-outside-'))
    writeFileSync(join(outside, 'package.json'), '{"name":"outside"}')
    try {
      symlinkSync(outside, join(home, 'away'))
      expect(await factsIn('away')).toBeNull()
      put('app/.git/HEAD')
      put('app/package.json', { workspaces: ['*'] })
      symlinkSync(outside, join(home, 'app/away'))
      expect(Object.keys((await factsIn('app', ['away', '../away', 'away/../..']))?.manifests ?? {})).toEqual([''])
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  it('cannot break the answer with names or texts', async () => {
    put('app/.git/HEAD')
    const name = 'x\n","root":"/'
    put('app/package.json', { name, workspaces: [], scripts: { test: 'y'.repeat(9000), build: {}, __proto__: 'z' } })
    put('app/line\nfeed/package.json', { name: 'a' })
    put('app/__proto__/package.json', { name: 'b' })
    const facts = await factsIn('app', ['line\nfeed', '__proto__'])
    expect(facts?.manifests['']).toMatchObject({ name, scripts: { test: 'y'.repeat(4096) } })
    expect(Object.keys(facts?.manifests ?? {}).toSorted()).toEqual(['', '__proto__', 'line\nfeed'])
  })

  it('has no more manifests than the limit', async () => {
    put('app/.git/HEAD')
    put('app/package.json', { workspaces: ['*'] })
    const folders = Array.from({ length: 150 }, (_, at) => `p${at}`)
    const texts = { build: 'x'.repeat(5000), test: 'x'.repeat(5000) }
    for (const folder of folders) put(`app/${folder}/package.json`, { name: folder, scripts: texts })
    expect(await factsIn('app', folders)).toMatchObject({ truncated: true })
  })
})
