/** Commits and pushes in real work trees, in a real container. */
import { randomUUID } from 'node:crypto'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { newSpec } from '../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { committing, EXIT, type Looked, lookedIn, looking, pushing } from './program.ts'

const { runtime } = useEngine()
const AUTHOR = { name: 'ada', address: 'ada@example.org' }
let containerId = ''

const run = async (argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
  const { exitCode, stdout, stderr } = await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1e6 })
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}
const sh = async (script: string): Promise<string> => {
  const { code, stdout, stderr } = await run(['sh', '-ec', script])
  if (code !== 0) throw new Error(`${script}: exit code ${code}\n${stderr}`)
  return stdout.trim()
}

/** A clone of a bare repository with one commit, after `work`. */
const repository = async (work = '') => {
  const name = randomUUID()
  const [cwd, bare] = [`/home/developer/${name}`, `/home/developer/${name}.git`]
  await sh(`git init -q --bare -b main ${bare}; git clone -q ${bare} ${cwd} 2>&1; cd ${cwd}
    git -c user.name=T -c user.email=t@x commit -q --allow-empty -m start; git push -q origin HEAD:main
    git remote set-head origin main; ${work}`)
  const commit = async (branch: string, message = 'Work\n\nAll of it.', active: readonly string[] = []) => {
    const options = committing(randomUUID(), cwd, { branch, message, author: AUTHOR }, active)
    const { exitCode, stdout } = await runtime.run(containerId, options)
    return exitCode === 0 ? stdout.toString().trim() : exitCode
  }
  return {
    ...{ cwd, bare, commit },
    git: (args: string) => sh(`git -C ${cwd} ${args}`),
    look: async (): Promise<Looked | null> =>
      lookedIn((await runtime.run(containerId, looking(randomUUID(), cwd))).stdout),
    push: (branch: string, at: string | number) => run(pushing(randomUUID(), cwd, branch, `${at}`)),
  }
}

beforeAll(async () => {
  containerId = (await runtime.launch(newSpec(IMAGE))).id
})

describe('a commit', () => {
  it('has all changes on a new branch, and leaves a clean work tree', async () => {
    const { commit, git, look } = await repository(
      'echo 1 >kept; echo ignored >.gitignore; git add .; git -c user.name=T -c user.email=t@x commit -qm two; echo 2 >kept; echo n >new; echo x >ignored',
    )
    expect(await look()).toMatchObject({ branch: 'main', base: 'main', ahead: 1, uncommitted: 2 })
    const made = await commit('fix/a')
    expect(made).toBe(await git('rev-parse HEAD'))
    expect(await git('status --porcelain --branch --ignored')).toBe('## fix/a\n!! ignored')
    expect(await git('log -1 --format=%an,%ae,%cn,%B')).toBe('ada,ada@example.org,ada,Work\n\nAll of it.')
    expect(await git('show --stat --format= --name-only HEAD')).toBe('kept\nnew')
    expect(await git('reflog -1 --format=%gs')).toBe('commit: by Slipway')
    // The same again commits nothing, and a further change goes on top.
    expect(await commit('fix/a')).toBe(made)
    await git('mv kept moved')
    const next = await commit('fix/a', 'Move')
    expect(await git('rev-parse HEAD~1')).toBe(made)
    expect(await git('rev-parse HEAD')).toBe(next)
    expect(await git('status --porcelain')).toBe('')
  })

  it('is by whom the repository names, and keeps what was staged', async () => {
    const { commit, git } = await repository(
      'git config user.name Grace; git config user.email grace@example.org; echo 1 >staged; git add staged; echo 2 >>staged',
    )
    await commit('main')
    expect(await git('log -1 --format=%an,%ae')).toBe('Grace,grace@example.org')
    expect(await git('show HEAD:staged')).toBe('1\n2')
  })

  // `git/writer/staging.test.ts` works before the first commit.
  longIt('is the first one of a new repository, and one of a detached head', async () => {
    const { cwd, commit, git } = await repository()
    await sh(`rm -rf ${cwd}/.git; git init -q -b main ${cwd}; echo 1 >${cwd}/file`)
    expect(await commit('main')).toBe(await git('rev-parse main'))
    await git('checkout -q --detach; echo 2 >>file')
    await sh(`echo 2 >>${cwd}/file`)
    expect(await commit('topic')).toBe(await git('rev-parse topic'))
    expect(await git('rev-parse topic~1')).toBe(await git('rev-parse main'))
  })

  it('goes on where one was killed between the branch and the index', async () => {
    const { cwd, commit, git } = await repository('echo 1 >file')
    const before = `${cwd}/.git/index`
    await sh(`cp ${before} ${cwd}.index`)
    const made = await commit('main')
    await sh(`cp ${cwd}.index ${before}`)
    expect(await git('status --porcelain')).toBe('D  file\n?? file')
    expect(await commit('main')).toBe(made)
    expect(await git('status --porcelain')).toBe('')
  })

  it('runs nothing of the repository', async () => {
    const { cwd, commit, git } = await repository()
    const touch = 'sh -c "touch ../was-run; cat"'
    await sh(`cd ${cwd}; git config core.fsmonitor '${touch}'; git config core.hooksPath .hooks; mkdir .hooks
      for hook in pre-commit commit-msg post-commit reference-transaction post-checkout post-index-change prepare-commit-msg; do
        printf '#!/bin/sh\\ntouch ../was-run\\n' >.hooks/$hook; cp .hooks/$hook .git/hooks/; done; chmod +x .hooks/* .git/hooks/*
      git config alias.commit-tree '!touch ../was-run'; git config gpg.program '${touch}'; git config commit.gpgSign true
      git config core.editor '${touch}'; git config core.pager '${touch}'`)
    expect(await commit('safe')).toMatch(/^[0-9a-f]{40}$/)
    expect(await sh(`ls ${cwd}/.. | grep was-run || true`)).toBe('')
    await sh(`cd ${cwd}; git config --unset core.fsmonitor; git config core.hooksPath /dev/null`)
    expect(await git('status --porcelain')).toBe('')
  })

  it.each([
    ['a file with a filter', "echo '*.bin filter=lfs' >.gitattributes; echo 1 >a.bin", EXIT.filtered],
    ['a merge', 'echo 1 >f; git rev-parse HEAD >.git/MERGE_HEAD', EXIT.unfinished],
    ['another git command', 'echo 1 >f; touch .git/index.lock', EXIT.locked],
    ['the lock of a git that was killed', 'echo 1 >f; touch -d "1 hour ago" .git/index.lock', EXIT.lockLeft],
    ['a branch of this name', 'echo 1 >f; git branch topic', EXIT.branchTaken],
    ['a branch in the way', 'echo 1 >f; git branch topic/below', EXIT.branchTaken],
  ])('is refused beside %s, and changes nothing', async (_what, work, code) => {
    const { cwd, commit, git } = await repository(work)
    const state = `cd ${cwd}; git rev-parse HEAD; git symbolic-ref HEAD; git for-each-ref; sha256sum .git/index || true; ls .git`
    const before = await sh(state)
    expect(await commit('topic')).toBe(code)
    expect(await sh(state)).toBe(before)
    expect(await git('stash list')).toBe('')
  })

  it('is refused while a task is at work in the work tree, and not beside one elsewhere', async () => {
    const { cwd, commit } = await repository('mkdir sub; echo 1 >sub/f')
    expect(await commit('topic', 'm', [`${cwd}/sub`])).toBe(EXIT.active)
    expect(await commit('topic', 'm', ['/home/developer'])).toMatch(/^[0-9a-f]{40}$/)
  })

  it('is none outside of a work tree, and none of nothing', async () => {
    const options = (cwd: string) => committing(randomUUID(), cwd, { branch: 'b', message: 'm', author: AUTHOR }, [])
    expect((await runtime.run(containerId, options('/home/developer'))).exitCode).toBe(EXIT.noWorkTree)
    expect((await runtime.run(containerId, options('/home/developer/missing'))).exitCode).toBe(EXIT.noWorkTree)
    const { cwd, commit } = await repository()
    await sh(`rm -rf ${cwd}/.git; git init -q -b main ${cwd}`)
    expect(await commit('main')).toBe(EXIT.nothing)
  })
})

describe('a push', () => {
  it('brings the branch to its remote, and the repository knows it', async () => {
    const { bare, commit, push, look, git } = await repository('echo 1 >file')
    const made = await commit('fix/b')
    expect((await push('fix/b', made)).code).toBe(0)
    expect(await sh(`git --git-dir=${bare} rev-parse fix/b`)).toBe(made)
    expect(await look()).toMatchObject({
      branch: 'fix/b',
      pushed: made,
      uncommitted: 0,
      remote: { name: 'origin', url: bare },
    })
    expect(await git('status --porcelain --branch')).toBe('## fix/b...origin/fix/b')
  })

  it('never moves a branch by force, and says so', async () => {
    const { cwd, commit, push, git } = await repository('echo 1 >file')
    const made = await commit('topic')
    expect((await push('topic', made)).code).toBe(0)
    await sh(`cd ${cwd}; git reset -q --hard HEAD~1; echo other >other`)
    const other = await commit('topic')
    expect((await push('topic', other)).code).toBe(EXIT.behind)
    expect(await git('ls-remote origin refs/heads/topic')).toContain(made as string)
  })

  it('is refused if the branch has moved, without a remote, and for an address that runs a program', async () => {
    const { cwd, commit, push } = await repository('echo 1 >file')
    const made = await commit('topic')
    expect((await push('topic', '0'.repeat(40))).code).toBe(EXIT.moved)
    await sh(`git -C ${cwd} remote set-url origin 'ext::touch ${cwd}.was-run'`)
    expect((await push('topic', made)).code).toBe(EXIT.noRemote)
    await sh(`git -C ${cwd} remote remove origin`)
    expect((await push('topic', made)).code).toBe(EXIT.noRemote)
    expect(await sh(`ls ${cwd}.was-run 2>/dev/null || true`)).toBe('')
  })

  it('says what git said where the remote cannot be reached', async () => {
    const { cwd, commit, push } = await repository('echo 1 >file')
    const made = await commit('topic')
    await sh(`git -C ${cwd} remote set-url origin /home/developer/none.git`)
    const { code, stderr } = await push('topic', made)
    expect([code, stderr]).toEqual([EXIT.refused, expect.stringContaining('none.git')])
  })

  it('runs neither a hook nor a helper of the repository', async () => {
    const { cwd, commit, push } = await repository('echo 1 >file')
    const made = await commit('topic')
    await sh(`cd ${cwd}; printf '#!/bin/sh\\ntouch ${cwd}.was-run\\n' >.git/hooks/pre-push; chmod +x .git/hooks/pre-push
      git config core.sshCommand 'touch ${cwd}.was-run'; git config remote.origin.receivepack 'touch ${cwd}.was-run;'
      git config url.ext::sh.insteadOf /home; git config credential.helper '!touch ${cwd}.was-run'
      git config push.gpgSign true; git config gpg.program 'touch'`)
    expect((await push('topic', made)).code).toBe(0)
    expect(await sh(`ls ${cwd}.was-run 2>/dev/null || true`)).toBe('')
  })
})
