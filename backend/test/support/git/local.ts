/** A home on this machine's disk whose git is this machine's, in place of a container: for the service behind the pages of changes. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AGENT_HOME } from '@slipway/protocol'
import { afterAll } from 'vitest'
import type { Found } from '../../../src/modules/agents/service.ts'
import { GitReader } from '../../../src/modules/git/reader.ts'
import { GitRunner } from '../../../src/modules/git/runner.ts'
import { GitWriter } from '../../../src/modules/git/writer/writer.ts'
import { randomUUID } from 'node:crypto'
import type { RunOptions, RunResult } from '../../../src/runtime/port.ts'

/** An agent that is only its id, since no database is there. */
export const FOUND = {
  row: { id: 'agent', name: 'agent', ownerEmail: 'ada@example.org' },
  caller: { userId: 'ada', email: 'ada@example.org', role: 'user', via: { kind: 'sign_in', signInId: 'ada' } },
} as unknown as Found

/** A home for all tests of a file. Call it once at the top. */
export const useLocalGit = () => {
  const home = mkdtempSync(join(tmpdir(), 'slipway-git-'))
  const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: 'true' }
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  /** Runs a script as the container would. */
  const run = (_containerId: string, { argv, input, maxOutputBytes }: RunOptions): Promise<RunResult> => {
    const here = argv.map((part) => part.replace(AGENT_HOME, home))
    const child = spawn(here[0]!, here.slice(1), { cwd: '/', env: environment })
    const outputs = [child.stdout, child.stderr].map((stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      return chunks
    })
    child.stdin.on('error', () => undefined).end(input)
    return new Promise((resolve) =>
      child.on('close', (code) => {
        const [stdout, stderr] = outputs.map((chunks) => Buffer.concat(chunks).subarray(0, maxOutputBytes))
        resolve({ exitCode: code ?? 137, stdout: stdout!, stderr: stderr! })
      }),
    )
  }

  const recorded: string[] = []
  const runner = new GitRunner({
    agents: { snapshot: () => ({ runningId: 'container' }) as never },
    runtime: { run },
    newId: randomUUID,
  })
  const audit = { recordNow: ({ action }: { action: string }) => Promise.resolve(void recorded.push(action)) }

  /** Runs a script of the shell in a folder of the home. */
  const sh = (folder: string, script: string): string =>
    execFileSync('sh', ['-ec', script], { cwd: join(home, folder), encoding: 'utf8', env: environment, stdio: 'pipe' })

  let number = 0
  /** A new repository after this script; without one, with a commit of the files `a`, `b c` and `d/e`. Answers its path. */
  const repository = (
    script = 'mkdir d; for f in a "b c" d/e; do printf "1\\n2\\n3\\n" >"$f"; done; git add -A; git commit -qm one',
  ): string => {
    const name = `r${++number}`
    mkdirSync(join(home, name))
    sh(name, `git init -q -b main; git config user.name Tester; git config user.email t@example.org; ${script}`)
    return name
  }
  const put = (repo: string, name: string, content: string): void => {
    mkdirSync(dirname(join(home, repo, name)), { recursive: true })
    writeFileSync(join(home, repo, name), content)
  }

  /** What git says of the changed files, one line each. */
  const short = (repo: string): string[] =>
    sh(repo, 'git status --porcelain -uall')
      .split('\n')
      .filter((line) => line !== '')
  const text = (repo: string, name: string): string => readFileSync(join(home, repo, name), 'utf8')

  return {
    ...{ home, found: FOUND, run, recorded, sh, repository, put, short, text },
    runner,
    audit,
    reader: new GitReader(runner, { saw: () => undefined }),
    writer: new GitWriter({ runner, audit }),
    git: (repo: string, args: string) => sh(repo, `git ${args}`).trim(),
  }
}

/** The id of a file in requests. */
export const fileId = (path: string | Buffer): string => Buffer.from(path).toString('base64url')
