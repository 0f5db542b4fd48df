/** Runs the scripts of worktrees with this machine's git, in place of a container. */
import { execFileSync, spawn } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AGENT_HOME } from '@slipway/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Made, madeIn, making, type Making } from '../../../src/modules/worktrees/program.ts'
import type { RunOptions } from '../../../src/runtime/port.ts'

/** The commands before which a script can be killed. */
const STEPS = ['git', 'mv', 'rm', 'cp', 'chmod'] as const

/** Files of a repository, some of which have unusual names. */
export const NAMES = ['a', 'b c', 'd/e', 'ü', 'line\nfeed', '-dash', '*'] as const

/** Writes a file. What is in its way goes. */
export const put = (tree: string, name: string, content: string): void => {
  const path = join(tree, name)
  rmSync(path, { recursive: true, force: true })
  const stat = lstatSync(dirname(path), { throwIfNoEntry: false })
  if (stat?.isDirectory() === false) rmSync(dirname(path))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

export interface Tree extends Made {
  readonly id: string
}
export interface Ran {
  readonly exitCode: number | null
  readonly stdout: Buffer
}

/** A home for all tests of a file. Call it once at the top. */
export const useRealGit = () => {
  const home = mkdtempSync(join(tmpdir(), 'slipway-worktrees-'))
  const shims = join(home, 'shims')
  const root = join(home, 'trees')
  const count = join(home, 'count')
  const who = { NAME: 'Tester', EMAIL: 'tester@example.org' }
  const environment = {
    ...{ PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' },
    ...{
      GIT_AUTHOR_NAME: who.NAME,
      GIT_AUTHOR_EMAIL: who.EMAIL,
      GIT_COMMITTER_NAME: who.NAME,
      GIT_COMMITTER_EMAIL: who.EMAIL,
    },
  }
  let number = 0

  beforeAll(() => {
    mkdirSync(shims)
    for (const name of STEPS) {
      const real = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
      const script = `#!/bin/sh
n=$(($(cat ${count}) + 1)); echo $n >${count}
[ $n != "$KILL_AT" ] || kill -9 0
case " $* " in *" \${MEANWHILE_AT:-/} "*)
  if mkdir ${count}-meanwhile 2>/dev/null; then env -i PATH="$PATH" HOME=${home} sh -ec "$MEANWHILE" >/dev/null || exit 1; fi ;;
esac
exec ${real} "$@"\n`
      writeFileSync(join(shims, name), script, { mode: 0o755 })
    }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd, encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'pipe'] })

  /** Answers whether git did it. */
  const attempt = (cwd: string, ...args: readonly string[]): boolean => {
    try {
      git(cwd, ...args)
      return true
    } catch {
      return false
    }
  }

  /**
   * Runs a script, or kills it with all that it started before this step. Before the first git with the argument
   * `meanwhile.at`, another program runs this shell script.
   */
  const run = ({ argv }: RunOptions, killAt = 0, meanwhile = { at: '', script: '' }): Promise<Ran> => {
    writeFileSync(count, '0')
    rmSync(`${count}-meanwhile`, { recursive: true, force: true })
    const here = argv.map((part) =>
      part === AGENT_HOME ? home : part.replace('PATH=/usr/local/bin:/usr/bin:/bin', `PATH=${shims}:/usr/bin:/bin`),
    )
    const { at: MEANWHILE_AT, script: MEANWHILE } = meanwhile
    const env = { ...environment, KILL_AT: String(killAt), MEANWHILE_AT, MEANWHILE }
    const child = spawn(here[0]!, here.slice(1), { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const out: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    return new Promise((resolve) => child.on('close', (exitCode) => resolve({ exitCode, stdout: Buffer.concat(out) })))
  }

  /** A new repository with a commit. */
  const newRepository = (): string => {
    const repository = join(home, `repository-${++number}`)
    mkdirSync(repository)
    git(repository, 'init', '-q', '-b', 'main')
    for (const name of NAMES) put(repository, name, `first ${name}`)
    writeFileSync(join(repository, '.gitignore'), '*.ignored\nbuild/\n')
    git(repository, 'add', '-A')
    git(repository, 'commit', '-qm', 'one')
    return repository
  }

  /** Tries to make a worktree for a task in a folder. */
  const make = (folder: string, more: Partial<Making> = {}): Promise<Ran> => {
    const id = `${++number}`
    const what = { id, folder, root, name: `tree-${id}`, commit: null, active: [], onlyIfBusy: false, why: 'test' }
    return run(making({ ...what, ...more }))
  }

  const newTree = async (folder: string): Promise<Tree> => {
    const { exitCode, stdout } = await make(folder)
    expect(exitCode).toBe(0)
    return { id: `${number}`, ...madeIn(stdout) }
  }

  return { home, root, git, attempt, run, newRepository, make, newTree }
}
