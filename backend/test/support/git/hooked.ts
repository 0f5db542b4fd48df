/** Git with the hooks and filters of repositories, by this machine's git in place of a container. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecBody } from '@slipway/protocol'
import { HookedGit } from '../../../src/modules/git/hooks/hooked-git.ts'
import { HookedWriter } from '../../../src/modules/git/hooks/writer.ts'
import { createUserPrograms } from '../../../src/modules/publish/remotes/user-programs.ts'
import { useLocalGit } from './local.ts'

/** A secret that the programs of the user may print. */
export const SECRET = 'a-secret-of-the-tests-0815'

/** A home for all tests of a file. Call it once at the top. */
export const useHookedGit = () => {
  const local = useLocalGit()
  const { home, found, run, runner } = local
  const programs = createUserPrograms({
    provisioner: { taskSecrets: () => Promise.resolve([SECRET]) },
    execs: {
      run: async ({ argv, env, stdin = '' }: ExecBody) => {
        const variables = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value}`)
        const { exitCode, stdout, stderr } = await run('container', {
          argv: ['env', ...variables, ...argv],
          ...{ input: Buffer.from(stdin), timeoutMs: 0, maxOutputBytes: 100_000 },
        })
        return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() } as never
      },
    },
  })
  const recorded: unknown[] = []
  const audit = {
    recordNow: ({ action, detail }: { action: string; detail?: object }) =>
      Promise.resolve(void recorded.push([action, detail])),
  }
  const hooked = new HookedGit({ runner, programs })
  return {
    ...local,
    ...{ recorded, hooked },
    asked: { found, locate: () => Promise.resolve(found), left: new AbortController().signal },
    writer: new HookedWriter({ hooked, audit }),
    /** Ends git after a second. */
    hurried: new HookedWriter({ hooked: new HookedGit({ runner, programs, seconds: 1 }), audit }),
    /** Writes hooks of a repository: the lines of each by its name. */
    withHooks: (repo: string, hooks: Readonly<Record<string, string>>): void => {
      for (const [name, lines] of Object.entries(hooks)) {
        const path = join(home, repo, '.git/hooks', name)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
      }
    },
  }
}
