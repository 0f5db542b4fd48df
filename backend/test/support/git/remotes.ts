/** Repositories with a remote, by this machine's git in place of a container: a folder stands for the remote. */
import type { ExecBody } from '@slipway/protocol'
import { HookedGit } from '../../../src/modules/git/hooks/hooked-git.ts'
import { type Asking, Pulls } from '../../../src/modules/publish/pulls.ts'
import { RemoteService } from '../../../src/modules/publish/remotes/service.ts'
import { createUserPrograms } from '../../../src/modules/publish/remotes/user-programs.ts'
import type { PullRow } from '../../../src/modules/publish/repository.ts'
import { TestClock } from '../clock.ts'
import { SECRET } from './hooked.ts'
import { useLocalGit } from './local.ts'

/** A home for all tests of a file. Call it once at the top. */
export const useRemotes = () => {
  const local = useLocalGit()
  const { found, run, runner, audit, repository, sh } = local
  /** What `gh` answers, in turn, and what it was asked. */
  const host = { answers: [] as { exitCode?: number; stdout: object | string }[], asked: [] as string[] }
  const rows = new Map<string, PullRow>()
  /** What became of requests for pull requests. */
  const outcomes: string[] = []
  const pulls = new Pulls({
    clock: new TestClock(),
    metrics: { pull: (outcome) => void outcomes.push(outcome) },
    rows: {
      find: ({ branch }) => Promise.resolve(rows.get(branch) ?? null),
      store: ({ branch }, facts, at) => {
        const row = { ...facts, createdAt: at, updatedAt: at }
        rows.set(branch, row)
        return Promise.resolve(row)
      },
    },
  })
  const answered = ({ argv, stdin = '' }: Pick<ExecBody, 'argv' | 'stdin'>): never => {
    const { exitCode = 0, stdout } = host.answers.shift() ?? { exitCode: 1, stdout: '' }
    host.asked.push(`${argv.includes('POST') ? 'POST' : 'GET'} ${stdin}`.trim())
    return { exitCode, stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout), stderr: '' } as never
  }
  const hosting: Asking = {
    exec: (request) => Promise.resolve(answered(request)),
    masked: (text) => Promise.resolve(text),
  }
  const programs = createUserPrograms({
    provisioner: { taskSecrets: () => Promise.resolve([SECRET]) },
    execs: {
      run: async (body: ExecBody) => {
        const { argv } = body
        if (argv[0] === 'gh') return answered(body)
        const { exitCode, stdout, stderr } = await run('container', { argv, timeoutMs: 0, maxOutputBytes: 100_000 })
        return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() } as never
      },
    },
  })
  const hooked = new HookedGit({ runner, programs })
  const remotes = new RemoteService({ ...{ runner, audit, pulls }, programs, hooked })
  const asked = { found, locate: () => Promise.resolve(found), left: new AbortController().signal }

  let number = 0
  /** A bare repository, a clone of it, and another clone that has pushed since. */
  const pair = (): { bare: string; mine: string; theirs: string } => {
    const first = repository()
    const bare = `bare${++number}.git`
    sh(
      '',
      `git clone -q --bare ${first} ${bare}; git clone -q ${bare} mine${number} 2>&1; git clone -q ${bare} theirs${number} 2>&1
      for clone in mine${number} theirs${number}; do git -C $clone config user.name T; git -C $clone config user.email t@x; done`,
    )
    const theirs = `theirs${number}`
    sh(
      theirs,
      'echo 4 >>a; git commit -qam theirs; git tag v1; git push -q origin main v1; git push -q origin main:topic',
    )
    return { bare, mine: `mine${number}`, theirs }
  }
  return { ...local, pulls, outcomes, host, hosting, remotes, pair, asked }
}
