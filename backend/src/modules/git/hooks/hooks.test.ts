/** What the hooks and filters of a repository do once a user lets them run, by this machine's git. */
import { describe, expect, it } from 'vitest'
import { fileId } from '../../../../test/support/git/local.ts'
import { SECRET, useHookedGit } from '../../../../test/support/git/hooked.ts'

const { asked, hooked, writer, reader, found, recorded, repository, sh, git, put, withHooks, hurried } = useHookedGit()

/** Such an answer, whose lines have these words in this order. */
const failed = (...words: readonly string[]) => ({
  code: 'GIT_FAILED',
  message: expect.stringMatching(new RegExp(words.join('[^]*'))) as string,
})

describe('a commit', () => {
  it('runs its hooks, which change what it has and what it says', async () => {
    const repo = repository()
    withHooks(repo, {
      'pre-commit': 'echo formatted >>a; git add a',
      'commit-msg': 'echo "Checked-by: $GIT_EDITOR" >>"$1"',
      'post-commit': 'git rev-parse HEAD >.git/after',
    })
    sh(repo, 'echo 4 >>a; git add a')
    const { commit } = await writer.commit(asked, { repository: repo, message: 'Two\n\n# no comment' })
    expect(sh(repo, 'cat .git/after; git log -1 --format=%an,%B; git show HEAD:a | tail -n 2')).toBe(
      `${commit}\nTester,Two\n\n# no comment\nChecked-by: :\n\n4\nformatted\n`,
    )
    expect(recorded).toEqual([['git.committed', { owner: 'ada@example.org', repository: repo, hooks: true }]])
  })

  it('takes the place of the last one, unless that has changed, a remote has it, or a merge is unfinished', async () => {
    const repo = repository()
    withHooks(repo, { 'pre-commit': 'touch .git/ran' })
    const of = { repository: repo, message: 'Other', amends: git(repo, 'rev-parse HEAD') }
    const { commit } = await writer.commit(asked, of)
    expect(git(repo, 'log --format=%H,%s; ls .git/ran')).toBe(`${commit},Other\n.git/ran`)
    const conflict = { code: 'CHANGES_CONFLICT' }
    await expect(writer.commit(asked, of)).rejects.toMatchObject(conflict)
    git(repo, 'update-ref refs/remotes/origin/main HEAD')
    const refused = { code: 'GIT_REFUSED' }
    await expect(writer.commit(asked, { ...of, amends: commit })).rejects.toMatchObject(refused)
    sh(repo, 'git update-ref -d refs/remotes/origin/main; git rev-parse HEAD >.git/MERGE_HEAD')
    await expect(writer.commit(asked, { ...of, amends: commit })).rejects.toMatchObject(refused)
    sh(repo, 'mv .git/MERGE_HEAD .git/CHERRY_PICK_HEAD')
    await expect(writer.commit(asked, { repository: repo, message: 'x' })).rejects.toMatchObject(refused)
  })

  it('has the name of the user where the repository names no one', async () => {
    const repo = repository()
    sh(repo, 'git config --unset user.name; git config --unset user.email; echo 4 >>a; git add a')
    await writer.commit(asked, { repository: repo, message: 'Two' })
    expect(git(repo, 'log -1 --format=%an,%ae,%ce')).toBe('ada,ada@example.org,ada@example.org')
  })

  it('that a hook refuses is not made, and the end of what the hook printed is told, without a secret', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; git add a')
    withHooks(repo, { 'commit-msg': `echo 'no <b>ticket</b> ${SECRET}'; exit 3` })
    const refused = writer.commit(asked, { repository: repo, message: 'Two' })
    await expect(refused).rejects.toMatchObject(failed('^Git, or a hook.*\n', 'no <b>ticket</b> \\*\\*\\*$'))
    expect(sh(repo, 'git log --format=%s; git diff --cached --name-only; ls .git/*.lock || true')).toBe('one\na\n')
  })

  it('is refused in a folder that is no repository, and in one outside of the home', async () => {
    sh('', 'mkdir none; ln -s /tmp linked')
    for (const name of ['none', 'linked'])
      await expect(writer.commit(asked, { repository: name, message: 'x' })).rejects.toMatchObject({
        code: 'NO_REPOSITORY',
      })
  })
})

describe('filters', () => {
  it('store staged files, and write them when a branch is checked out', async () => {
    const repo = repository()
    withHooks(repo, { 'post-checkout': 'echo "$3" >>.git/checkouts' })
    sh(
      repo,
      `git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'
      echo '*.txt filter=up' >.gitattributes; git add .gitattributes; git commit -qm attributes
      echo text >b.txt; mkdir sub; echo other >'sub/c d.txt'; git rm -q --cached a; rm a 'b c'`,
    )
    const of = { repository: repo }
    await writer.stage(asked, { ...of, files: [fileId('b.txt'), fileId('sub/c d.txt'), fileId('b c')] })
    expect(git(repo, "show ':sub/c d.txt' :b.txt")).toBe('OTHER\nTEXT')
    expect(git(repo, 'diff --cached --name-status')).toBe('D\ta\nD\tb c\nA\tb.txt\nA\tsub/c d.txt')
    await writer.commit(asked, { ...of, message: 'Two' })
    git(repo, 'branch before HEAD~1')
    await writer.switch(asked, { ...of, name: 'before' })
    await writer.begin(asked, { ...of, name: 'topic', from: 'main', switch: true })
    expect(sh(repo, 'cat b.txt .git/checkouts; git branch --show-current; git status --short')).toBe(
      'text\n1\n1\ntopic\n',
    )
    expect(await reader.status(found, of)).toMatchObject({ branch: 'topic', upstream: null, files: [] })
    await expect(writer.begin(asked, { ...of, name: 'main', switch: true })).rejects.toMatchObject({
      code: 'BRANCH_TAKEN',
    })
    withHooks(repo, { 'post-checkout': 'echo not here >&2; exit 5' })
    await expect(writer.switch(asked, { ...of, name: 'main' })).rejects.toMatchObject(failed('not here'))
  })

  it('take the names of files as they are, and neither a hunk, another repository nor a name that is no text', async () => {
    const repo = repository()
    const of = { repository: repo }
    for (const name of [':(top)x', '*', '-rf']) put(repo, name, '1\n')
    await writer.stage(asked, { ...of, files: [':(top)x', '*', '-rf'].map(fileId) })
    expect(git(repo, 'diff --cached --name-only')).toBe('*\n-rf\n:(top)x')
    for (const files of [[fileId('sub/')], [fileId(Buffer.from([0xff]))]])
      await expect(writer.stage(asked, { ...of, files })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    const hunk = { at: 0, base: '0'.repeat(40), tree: '0'.repeat(40) }
    await expect(writer.stage(asked, { ...of, files: [fileId('a')], hunk })).rejects.toMatchObject({
      code: 'VALIDATION',
    })
  })

  it('that kill their git leave no lock, but the lock of another git stays', async () => {
    const repo = repository()
    put(repo, '.git/filter', '#!/bin/sh\nkill -9 $PPID\n')
    sh(
      repo,
      `chmod +x .git/filter; git config filter.deadly.clean "$PWD/.git/filter"; echo 'a filter=deadly' >.gitattributes
      echo 3 >>a; git add a 2>/dev/null || ls .git/index.lock; rm .git/index.lock`,
    )
    const of = { repository: repo, files: [fileId('a')] }
    await expect(writer.stage(asked, of)).rejects.toMatchObject(failed('was killed'))
    expect(sh(repo, 'ls .git/*.lock 2>/dev/null || true')).toBe('')
    put(repo, '.git/index.lock', '')
    await expect(writer.stage(asked, of)).rejects.toMatchObject(failed('index.lock'))
    expect(sh(repo, 'ls .git/*.lock')).toBe('.git/index.lock\n')
  })

  it('and hooks that hang are ended, and leave no lock', async () => {
    const repo = repository()
    // Another run of the tests on this machine has other ones.
    const [hangs, slow] = ['1', '2'].map((part) => `sleep ${7e6 + process.pid}.${part}`)
    withHooks(repo, { 'pre-commit': `echo waits; ${hangs}` })
    sh(repo, `git config filter.slow.clean '${slow}'; echo 'a filter=slow' >.gitattributes; echo 3 >>a`)
    const late = failed('took longer than 1 second')
    await expect(hurried.stage(asked, { repository: repo, files: [fileId('a')] })).rejects.toMatchObject(late)
    await expect(hurried.commit(asked, { repository: repo, message: 'Two' })).rejects.toMatchObject(late)
    const running = `ps -eo args | grep "[s]leep ${7e6 + process.pid}.[12]$" || true`
    expect(sh(repo, `ls .git/*.lock 2>/dev/null || true; ${running}`)).toBe('')
  })
})

it('a switch that git calls a success although a file is not written is told', async () => {
  const repo = repository()
  sh(
    repo,
    `git checkout -qb other; echo 5 >m; git add m; git commit -qm two; id=$(git rev-parse :m); git checkout -q main
    rm -f ".git/objects/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)"`,
  )
  await expect(writer.switch(asked, { repository: repo, name: 'other' })).rejects.toMatchObject({
    code: 'FILES_NOT_WRITTEN',
    message: expect.stringMatching(
      /^Git could not write all files, but moved HEAD\.[^\n]*\n[^]*unable to read/,
    ) as string,
  })
  expect(git(repo, 'branch --show-current')).toBe('other')
})

it('a branch is moved forward and pushed with the hooks for that', async () => {
  const first = repository()
  sh(
    '',
    `git clone -q --bare ${first} bare.git; git clone -q bare.git mine; git clone -q bare.git theirs
    for clone in mine theirs; do git -C $clone config user.name T; git -C $clone config user.email t@x; done
    cd theirs; echo 4 >>a; git commit -qam theirs; git push -q; cd ../mine; git fetch -q`,
  )
  withHooks('mine', { 'post-merge': 'touch .git/merged', 'pre-push': 'read -r from rest; echo "no $from" >&2; exit 1' })
  await hooked.forward(asked, 'mine')
  expect(sh('mine', 'ls .git/merged; git log -1 --format=%s; git reflog -1 --format=%gs')).toBe(
    '.git/merged\ntheirs\npull: Fast-forward\n',
  )
  sh('mine', 'git switch -qc work; git commit -q --allow-empty -m work')
  const commit = git('mine', 'rev-parse HEAD')
  await expect(hooked.push(asked, 'mine', 'work', '0'.repeat(40))).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
  await expect(hooked.push(asked, 'mine', 'work', commit)).rejects.toMatchObject(failed('no refs/heads/work'))
  sh('mine', 'rm .git/hooks/pre-push')
  await hooked.push(asked, 'mine', 'work', commit)
  expect(git('bare.git', 'rev-parse work')).toBe(commit)
  expect(await reader.status(found, { repository: 'mine' })).toMatchObject({ upstream: 'origin/work', ahead: 0 })
})
