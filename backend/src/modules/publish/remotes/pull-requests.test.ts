/** Pull requests of branches of real repositories, by this machine's git. `gh` is scripted. */
import { describe, expect, it } from 'vitest'
import { SECRET } from '../../../../test/support/git/hooked.ts'
import { useRemotes } from '../../../../test/support/git/remotes.ts'

const { found, recorded, repository, sh, git, pulls, outcomes, host, hosting, remotes, pair, asked } = useRemotes()

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
