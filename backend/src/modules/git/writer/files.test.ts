/** What is left of the work tree when git cannot write all files, by this machine's git. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { fileId, useLocalGit } from '../../../../test/support/git/local.ts'
import { WRITE_SECONDS } from '../program.ts'
import { GitRunner } from '../runner.ts'
import { GitWriter } from './writer.ts'

const { home, found, run, reader, writer, audit, repository, sh, git, put, short, text } = useLocalGit()

/** A writer whose scripts are changed before they run. */
const writerWith = (change: (part: string) => string): GitWriter =>
  new GitWriter({
    audit,
    runner: new GitRunner({
      agents: { snapshot: () => ({ runningId: 'container' }) as never },
      runtime: { run: (id, options) => run(id, { ...options, argv: options.argv.map(change) }) },
      newId: randomUUID,
    }),
  })
/** Ends git right after it has begun to write. */
const hurried = writerWith((part) => (part === `${WRITE_SECONDS}` ? '0.000001' : part))
/** What writes files of the work tree, in the scripts. */
const WRITE = 'timeout -k 5 "$write_seconds" git "$@"'
/** A program of the agent is faster than git, which looked before. */
const raced = (program: string) => writerWith((part) => part.replace(WRITE, () => `(${program}); ${WRITE}`))
/** Git fails at the end of what it writes, and a program of the agent follows it. */
const failing = (program: string) =>
  writerWith((part) => part.replace(`${WRITE} >`, () => `(${WRITE}; ${program}; exit 1) >`))

/** Removes the content of a file from the repository, so that git cannot write it. */
const lose = (repo: string, file: string): void => {
  sh(repo, `id=$(git rev-parse "${file}"); rm -f ".git/objects/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)"`)
}
/** A repository with a branch that changes, adds and removes files, a folder among them. */
const twoBranches = (): string => {
  const repo = repository()
  sh(
    repo,
    `echo n >.gitignore; echo 1 >a; git add -A; git commit -qm ignore; git checkout -qb other; echo 2 >a; rm -r d; echo f >d
    mkdir new; echo 5 >new/m; echo 6 >z; rm "b c"; git add -A; git commit -qm two; git checkout -q main; echo mine >.gitignore; echo u >u`,
  )
  return repo
}
const stateOf = (repo: string) => ({
  files: sh(repo, 'find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort'),
  folders: sh(repo, 'find . -path ./.git -prune -o -type d -print | sort'),
  status: short(repo),
  head: git(repo, 'rev-parse --symbolic-full-name HEAD; git rev-parse HEAD'),
  lock: existsSync(join(home, repo, '.git/index.lock')),
})
const refusal = (code: string, ...words: readonly string[]) => ({
  code,
  message: expect.stringMatching(new RegExp(words.join('[^]*'))) as string,
})
/** Such a number of files, which git takes longer to write than to start. */
const many = (repo: string, content: string): string[] => {
  const names = Array.from({ length: 300 }, (_, at) => `many/${at}`)
  for (const name of names) put(repo, name, content)
  return names
}

describe('files that cannot all be written', () => {
  it('are as they were before a switch, and the branch is not checked out', async () => {
    const repo = twoBranches()
    lose(repo, 'other:new/m')
    const before = stateOf(repo)
    const refused = refusal('GIT_REFUSED', 'nothing has changed', 'unable to read .* new/m')
    await expect(writer.switch(found, { repository: repo, name: 'other' })).rejects.toMatchObject(refused)
    expect(stateOf(repo)).toEqual(before)
    const made = { repository: repo, name: 'made', from: 'other', switch: true }
    await expect(writer.branch(found, made)).rejects.toMatchObject(refused)
    expect(stateOf(repo)).toEqual(before)
    expect(git(repo, 'branch --list made')).toBe('')
  })

  it('are as they were if HEAD cannot be moved', async () => {
    const repo = twoBranches()
    put(repo, '.git/HEAD.lock', '')
    const before = stateOf(repo)
    await expect(writer.switch(found, { repository: repo, name: 'other' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
    expect(stateOf(repo)).toEqual(before)
  })

  it('nor be put back are told, and where HEAD is', async () => {
    const repo = twoBranches()
    lose(repo, 'other:new/m')
    lose(repo, 'main:a')
    const switched = writer.switch(found, { repository: repo, name: 'other' })
    await expect(switched).rejects.toMatchObject(
      refusal('FILES_NOT_WRITTEN', 'HEAD is still on main', 'git status', 'unable to read .* new/m'),
    )
    expect([git(repo, 'branch --show-current'), short(repo)]).toEqual(['main', [' M .gitignore', ' D a', '?? u']])
    expect([text(repo, 'd/e'), existsSync(join(home, repo, '.git/index.lock'))]).toEqual(['1\n2\n3\n', false])
  })

  it('in time are put back', async () => {
    const repo = repository()
    many(repo, '1')
    sh(repo, 'git add -A; git commit -qm many; git checkout -qb other')
    const names = many(repo, '2')
    sh(repo, 'git add -A; git commit -qm other; git checkout -q main; echo 4 >>a')
    const late = refusal('GIT_REFUSED', 'longer than 2 minutes', 'put back')
    let before = stateOf(repo)
    await expect(hurried.switch(found, { repository: repo, name: 'other' })).rejects.toMatchObject(late)
    expect(stateOf(repo)).toEqual(before)
    many(repo, '3')
    before = stateOf(repo)
    const files = names.map(fileId)
    await expect(hurried.discard(found, { repository: repo, files })).rejects.toMatchObject(late)
    await expect(hurried.stash(found, { repository: repo })).rejects.toMatchObject(late)
    expect(stateOf(repo)).toEqual(before)
    expect(git(repo, 'stash list')).toBe('')
  })

  it('leave no stash, unless it is needed', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>"b c"; git add "b c"; echo 5 >>d/e; echo n >new')
    lose(repo, 'HEAD:d/e')
    const before = stateOf(repo)
    const stash = () => writer.stash(found, { repository: repo, untracked: true })
    await expect(stash()).rejects.toMatchObject(refusal('GIT_REFUSED', 'nothing has changed', 'd/e'))
    expect([stateOf(repo), git(repo, 'stash list')]).toEqual([before, ''])
    lose(repo, ':b c')
    await expect(stash()).rejects.toMatchObject(refusal('FILES_NOT_WRITTEN', 'stash holds', 'on main', 'd/e'))
    expect(git(repo, 'stash list')).toContain('WIP on main')
  })

  it('of a stash are told, and the stash stays', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; echo 5 >>d/e; git stash push -q')
    lose(repo, 'stash:d/e')
    const { items } = await reader.stashes(found, { repository: repo })
    const applied = writer.applyStash(found, { repository: repo, at: 0, commit: items[0]!.commit })
    await expect(applied).rejects.toMatchObject(refusal('FILES_NOT_WRITTEN', 'still there', 'd/e'))
    expect(git(repo, 'stash list')).not.toBe('')
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(false)
  })
})

describe('what a program of the agent writes while git does', () => {
  const IN_THE_WAY = refusal('GIT_REFUSED', 'in the way')
  const CHANGED = refusal('CHANGES_CONFLICT', 'changed meanwhile')

  it.each([
    ['a changed file', 'echo agent >a', 'a'],
    ['a new file', 'echo agent >z', 'z'],
  ])('stays, and there is no switch: %s', async (_what, program, file) => {
    const repo = twoBranches()
    await expect(raced(program).switch(found, { repository: repo, name: 'other' })).rejects.toMatchObject(IN_THE_WAY)
    expect([text(repo, file), text(repo, 'd/e')]).toEqual(['agent\n', '1\n2\n3\n'])
    expect([git(repo, 'branch --show-current'), existsSync(join(home, repo, 'new'))]).toEqual(['main', false])
  })

  it('stays, and nothing is discarded or put aside', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; echo 4 >>d/e')
    const program = raced('echo agent >>a')
    const files = ['a', 'd/e'].map(fileId)
    await expect(program.discard(found, { repository: repo, files })).rejects.toMatchObject(CHANGED)
    expect([text(repo, 'a'), text(repo, 'd/e')]).toEqual(['1\n2\n3\n4\nagent\n', '1\n2\n3\n4\n'])
    await expect(program.stash(found, { repository: repo })).rejects.toMatchObject(CHANGED)
    expect([text(repo, 'a'), text(repo, 'd/e')]).toEqual(['1\n2\n3\n4\nagent\nagent\n', '1\n2\n3\n4\n'])
    expect(git(repo, 'stash list')).toBe('')
  })

  it('stays if git then fails, and is named, and the other files are put back', async () => {
    const repo = twoBranches()
    const switched = failing('echo agent >>a; echo mine >new/p').switch(found, { repository: repo, name: 'other' })
    await expect(switched).rejects.toMatchObject(refusal('FILES_NOT_WRITTEN', 'on main', 'by another program: a'))
    expect(short(repo)).toEqual([' M .gitignore', ' M a', '?? new/p', '?? u'])
    expect([text(repo, 'a'), text(repo, 'd/e')]).toEqual(['2\nagent\n', '1\n2\n3\n'])
  })

  it('is no half-written file: a full disk ends a write within one', async () => {
    const repo = twoBranches()
    const before = stateOf(repo)
    const switched = failing('truncate -s 1 z; : >new/m').switch(found, { repository: repo, name: 'other' })
    await expect(switched).rejects.toMatchObject(refusal('GIT_REFUSED', 'nothing has changed'))
    expect(stateOf(repo)).toEqual(before)
  })
})

it('a lock that a killed git left is named, but not while a git is in the work tree', async () => {
  const repo = repository()
  sh(repo, 'touch -d "1 hour ago" .git/index.lock; echo 4 >>a')
  const stage = () => writer.stage(found, { repository: repo, files: [fileId('a')] })
  const left = refusal('GIT_REFUSED', `left the lock ${join(home, repo)}/.git/index.lock`, 'Remove the lock')
  // The git of another test has no folder any more while it ends, and may then be one of this work tree.
  await vi.waitFor(() => expect(stage()).rejects.toMatchObject(left), PATIENTLY)
  const other = spawn('git', ['cat-file', '--batch'], { cwd: join(home, repo), env: { PATH: process.env['PATH'] } })
  other.stdin.write('none\n')
  await once(other.stdout, 'data')
  await expect(stage()).rejects.toMatchObject(refusal('GIT_REFUSED', 'Another git command is at work'))
  other.stdin.end()
  await once(other, 'close')
  expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(true)
})
