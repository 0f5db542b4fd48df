/** Fetches, pulls and pushes between real repositories, by this machine's git. A folder stands for the remote. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ExecBody } from '@slipway/protocol'
import { TestClock } from '../../../../test/support/clock.ts'
import { useLocalGit } from '../../../../test/support/git/local.ts'
import { type Asking, Pulls } from '../pulls.ts'
import type { PullRow } from '../repository.ts'
import { HookedGit } from '../../git/hooks/hooked-git.ts'
import { RemoteService } from './service.ts'
import { createUserPrograms } from './user-programs.ts'

const { home, found, run, runner, audit, recorded, reader, repository, sh, git, put } = useLocalGit()
const SECRET = 'a-secret-of-the-tests-0815'
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
const status = (repo: string) => reader.status(found, { repository: repo })

describe('the remote of a repository', () => {
  it('is fetched: its branches move, new tags come, and what it has no more goes', async () => {
    const { mine, theirs } = pair()
    await remotes.fetch(asked, mine)
    expect(await status(mine)).toMatchObject({ ahead: 0, behind: 1, files: [] })
    expect(git(mine, 'rev-parse origin/main origin/topic v1')).toBe(git(theirs, 'rev-parse main main v1'))
    sh(theirs, 'git push -q origin :topic; git tag -f v1 HEAD~1; git push -qf origin v1')
    await remotes.fetch(asked, mine)
    expect(git(mine, 'for-each-ref "--format=%(refname)" refs/remotes').split('\n')).toEqual([
      'refs/remotes/origin/HEAD',
      'refs/remotes/origin/main',
    ])
    expect(git(mine, 'rev-parse v1')).toBe(git(theirs, 'rev-parse main'))
    git(mine, 'fsck --connectivity-only')
    expect(existsSync(join(home, mine, '.git/FETCH_HEAD'))).toBe(false)
  })

  it('is pulled into the branch with its files, beside changes that are not in the way', async () => {
    const { mine, theirs } = pair()
    sh(mine, 'echo x >>d/e; echo n >new')
    await remotes.pull(asked, { repository: mine })
    expect(git(mine, 'log -1 --format=%s')).toBe('theirs')
    expect(git(mine, 'status --porcelain')).toBe('M d/e\n?? new')
    expect(git(mine, 'reflog -1 --format=%gs')).toBe('pull: Fast-forward')
    await remotes.pull(asked, { repository: mine })
    sh(theirs, 'echo 5 >>a; git commit -qam more; git push -q origin main')
    put(mine, 'a', 'mine')
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({
      message: expect.stringContaining('in the way'),
    })
    expect(sh(mine, 'cat a')).toBe('mine')
  })

  it('is not pulled where both have moved on, and not without a branch to follow', async () => {
    const { mine } = pair()
    sh(mine, 'git commit -q --allow-empty -m mine')
    const message = expect.stringContaining('both moved on') as string
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({ code: 'GIT_REFUSED', message })
    expect(git(mine, 'log -1 --format=%s')).toBe('mine')
    git(mine, 'checkout -qb alone')
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
  })

  it('gets a branch that is pushed, which follows it then, but never by force', async () => {
    const { bare, mine } = pair()
    sh(mine, 'git checkout -qb work; echo w >>a; git commit -qam work')
    const commit = git(mine, 'rev-parse HEAD')
    await remotes.push(asked, { repository: mine, branch: 'work', commit })
    expect(git(bare, 'rev-parse work')).toBe(commit)
    expect(await status(mine)).toMatchObject({ upstream: 'origin/work', ahead: 0, behind: 0 })
    sh(mine, 'git checkout -q main; git commit -q --allow-empty -m mine')
    const main = { repository: mine, branch: 'main', commit: git(mine, 'rev-parse HEAD') }
    await expect(remotes.push(asked, main)).rejects.toMatchObject({ code: 'REMOTE_REFUSED' })
    await expect(remotes.push(asked, { ...main, commit })).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    expect(recorded).toEqual(expect.arrayContaining(['git.fetched', 'git.pulled', 'git.pushed']))
  })

  it('that is a shallow clone of a branch gets the rest of that branch alone', async () => {
    const { bare, theirs } = pair()
    sh('', `git clone -q --depth 1 --branch main file://${home}/${bare} shallow`)
    sh(theirs, 'echo 6 >>a; git commit -qam six; git push -q origin main; git push -q origin main:other')
    await remotes.pull(asked, { repository: 'shallow' })
    expect(git('shallow', 'log --format=%s')).toBe('six\ntheirs')
    expect(git('shallow', 'branch -r')).not.toContain('other')
    git('shallow', 'fsck --connectivity-only')
  })

  it('runs nothing of the repository, and no program that an address names', async () => {
    const { mine } = pair()
    const sprung = join(home, 'sprung')
    put(mine, '.git/trap', `#!/bin/sh\ntouch '${sprung}'\n`)
    sh(
      mine,
      `chmod +x .git/trap; for hook in reference-transaction post-checkout post-merge pre-push; do cp .git/trap .git/hooks/$hook; done
      for key in core.sshCommand core.askPass core.fsmonitor credential.helper core.gitProxy remote.origin.uploadpack remote.origin.receivepack; do
        git config -f .git/config $key "$PWD/.git/trap"
      done; git config -f .git/config remote.origin.vcs trap; git config -f .git/config 'url.ext::touch.insteadOf' /`,
    )
    await remotes.pull(asked, { repository: mine })
    const commit = git(mine, '-c core.fsmonitor=false rev-parse HEAD')
    await remotes.push(asked, { repository: mine, branch: 'main', commit })
    for (const url of [`ext::touch ${sprung}`, '--upload-pack=trap', 'trap::x', '']) {
      sh(mine, `git config -f .git/config remote.origin.url "${url}"`)
      await expect(remotes.fetch(asked, mine)).rejects.toMatchObject({ code: 'WRONG_STATE' })
    }
    expect(existsSync(sprung)).toBe(false)
  })

  it('that cannot be reached is told with its own words, without a secret', async () => {
    const { mine } = pair()
    sh(mine, `git remote set-url origin ${home}/${SECRET}`)
    const told = await remotes.fetch(asked, mine).catch((error: unknown) => error as Error)
    expect(told).toMatchObject({ code: 'REMOTE_REFUSED', message: expect.stringContaining('Git said:') })
    expect(String(told)).not.toContain(SECRET)
    rmSync(join(home, mine), { recursive: true })
  })
})

describe('a pull request of a branch', () => {
  const REMOTE = 'https://ada:secret@github.com/harbour/api.git'
  /** A clone on a new branch that is at its remote, which says that it is on GitHub. */
  const onBranch = (branch: string, commits: string): string => {
    const { mine } = pair()
    sh(
      mine,
      `git fetch -q; git checkout -qb ${branch} origin/main --no-track; ${commits}; git push -q origin ${branch}`,
    )
    git(mine, `remote set-url origin ${REMOTE}`)
    return mine
  }
  const pull = (number: number, title: string, draft = true) => ({
    ...{ number, title, draft },
    html_url: `https://github.com/harbour/api/pull/${number}`,
  })
  const body = (repository: string, branch: string) => ({ repository, branch, base: 'main', title: 'T', body: 'B' })
  const ask = (...answers: typeof host.answers) => Object.assign(host, { answers, asked: [] })

  it('is proposed from its commits, and says how the branch stands to the remote', async () => {
    const one = onBranch('one', 'echo 7 >>a; git commit -qam "Add seven" -m "It was missing."')
    expect(await remotes.proposal(found, { repository: one })).toEqual({
      ...{ branch: 'one', commit: git(one, 'rev-parse HEAD'), base: 'main', ahead: 1, pushed: true },
      hasPullRequests: true,
      compareUrl: 'https://github.com/harbour/api/compare/main...one?expand=1',
      pullRequest: null,
      suggested: { title: 'Add seven', body: 'It was missing.' },
    })
    sh(one, 'echo 8 >>a; git commit -qam "Add eight"')
    expect(await remotes.proposal(found, { repository: one })).toMatchObject({
      ...{ ahead: 2, pushed: false },
      suggested: { title: 'Add seven', body: '- Add seven\n- Add eight' },
    })
    git(one, 'remote remove origin')
    expect(await remotes.proposal(found, { repository: one })).toMatchObject({
      ...{ base: null, ahead: null, pushed: false, hasPullRequests: false, compareUrl: null },
    })
    const empty = repository('true')
    expect(await remotes.proposal(found, { repository: empty })).toMatchObject({ branch: 'main', commit: null })
  })

  it('is opened as a draft and known from then on, and an open one stays as it is', async () => {
    const mine = onBranch('two', 'git commit -q --allow-empty -m two')
    ask({ stdout: [] }, { stdout: pull(7, 'T') })
    const first = await remotes.propose(asked, body(mine, 'two'))
    expect(first).toMatchObject({ opened: true, pullRequest: { number: 7, title: 'T', draft: true } })
    const sent = { title: 'T', head: 'two', base: 'main', body: 'B', draft: true }
    expect(host.asked).toEqual(['GET', `POST ${JSON.stringify(sent)}`])
    ask({ stdout: [pull(7, 'Of the host', false)] })
    const again = await remotes.propose(asked, { ...body(mine, 'two'), title: 'Other' })
    expect(again).toMatchObject({ opened: false, pullRequest: { number: 7, title: 'Of the host', draft: false } })
    expect(host.asked).toEqual(['GET'])
    expect((await remotes.proposal(found, { repository: mine })).pullRequest).toEqual(again.pullRequest)
    expect(recorded).toContain('git.proposed')
  })

  it('that another request has opened meanwhile is the answer', async () => {
    const mine = onBranch('three', 'git commit -q --allow-empty -m three')
    const refusal = { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] }
    ask({ stdout: [] }, { exitCode: 1, stdout: refusal }, { stdout: [pull(8, 'Theirs')] })
    expect(await remotes.propose(asked, body(mine, 'three'))).toMatchObject({
      opened: false,
      pullRequest: { number: 8 },
    })
  })

  it('of a task that another request has opened meanwhile is changed', async () => {
    const of = { agentId: 'agent', host: 'github.com', path: 'harbour/api', branch: 'of-two-tasks' }
    const sent = { branch: of.branch, base: 'main', title: 'T', body: 'B' }
    const refusal = { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] }
    ask(
      ...[
        { stdout: [] },
        { exitCode: 1, stdout: refusal },
        { stdout: [pull(30, 'Theirs')] },
        { stdout: pull(30, 'T') },
      ],
    )
    expect(await pulls.put(of, sent, hosting)).toMatchObject({ number: 30, title: 'T' })
    expect(host.asked.at(-1)).toContain(JSON.stringify({ title: 'T', body: 'B' }))
    ask({ stdout: [] }, { exitCode: 1, stdout: { message: 'No commits between main and x' } }, { stdout: [] })
    await expect(pulls.put({ ...of, branch: 'x' }, sent, hosting)).rejects.toMatchObject({
      ...{ code: 'REMOTE_REFUSED', message: expect.stringContaining('No commits between') },
    })
  })

  it('of a task is changed while it is open, and another one is opened only if the request asks for it', async () => {
    const of = { agentId: 'agent', host: 'github.com', path: 'harbour/api', branch: 'of-a-task' }
    const sent = { branch: of.branch, base: 'main', title: 'T', body: 'B' }
    const put = (another?: boolean) =>
      pulls
        .put(of, { ...sent, ...(another !== undefined && { another }) }, hosting)
        .then(({ number: found }) => found)
        .catch((error: unknown) => error)
    outcomes.length = 0
    ask({ stdout: [] }, { stdout: pull(20, 'T') })
    expect([await put(), host.asked.length]).toEqual([20, 2])
    ask({ stdout: [pull(20, 'T')] }, { stdout: pull(20, 'T') })
    expect(await put()).toBe(20)
    const merged = { ...pull(20, 'T'), state: 'closed', merged_at: '2026-11-27T00:00:00Z' }
    for (const [last, word] of [
      [merged, 'merged'],
      [{ ...merged, merged_at: null }, 'closed'],
    ] as const) {
      ask({ stdout: [] }, { stdout: [last] })
      expect(await put()).toMatchObject({
        code: 'PULL_REQUEST_CLOSED',
        message: expect.stringContaining(`#20 of this branch is ${word}`),
      })
      expect(host.asked).toEqual(['GET', 'GET'])
    }
    ask({ stdout: [] }, { stdout: pull(21, 'T') })
    expect(await put(true)).toBe(21)
    expect(outcomes).toEqual(['opened', 'changed', 'failed', 'failed', 'opened'])
  })

  it('is refused with the words of the host, for another branch, and where the host is not GitHub', async () => {
    const mine = onBranch('four', 'git commit -q --allow-empty -m four')
    const propose = (branch: string) => remotes.propose(asked, body(mine, branch)).catch((error: unknown) => error)
    const refusal = { exitCode: 1, stdout: { message: `No ${SECRET}` } }
    ask({ stdout: [] }, refusal, { stdout: [] })
    const told = await propose('four')
    expect(told).toMatchObject({ code: 'REMOTE_REFUSED', message: expect.stringMatching(/^GitHub refused: No /) })
    expect(String(told)).not.toContain(SECRET)
    ask({ exitCode: 4, stdout: '' })
    expect(await propose('four')).toMatchObject({ message: expect.stringContaining('not signed in') })
    expect(await propose('other')).toMatchObject({ code: 'CHANGES_CONFLICT' })
    git(mine, 'remote set-url origin https://gitlab.example.org/harbour/api.git')
    expect(await propose('four')).toMatchObject({ code: 'WRONG_STATE' })
    expect((await remotes.proposal(found, { repository: mine })).hasPullRequests).toBe(false)
  })
})
