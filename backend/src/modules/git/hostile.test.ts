/** Hostile repositories: nothing of them runs, and what a user sees of them is right. By this machine's git. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { fileId, useLocalGit } from '../../../test/support/git/local.ts'

const { home, found, reader, writer, repository, sh, git, put } = useLocalGit()
const SPRUNG = join(home, 'sprung')
const TRAP = `#!/bin/sh\ntouch '${SPRUNG}'\nexit 0\n`
beforeEach(() => rmSync(SPRUNG, { force: true }))

const names = async (repo: string): Promise<string[]> =>
  (await reader.status(found, { repository: repo, ignored: true })).files.map(({ kind, path }) => `${kind} ${path}`)

/** Does everything that the pages can do. Each part may be refused. */
const everything = async (repo: string): Promise<void> => {
  const of = { repository: repo }
  const attempt = (act: Promise<unknown>): Promise<unknown> => act.catch(() => null)
  await attempt(reader.repositories(found))
  const { files } = await reader.status(found, { ...of, ignored: true })
  for (const { id, kind } of files) {
    for (const side of ['staged', 'unstaged'] as const) await attempt(reader.diff(found, { ...of, file: id, side }))
    if (kind === 'ignored') continue
    for (const act of ['stage', 'unstage', 'stage'] as const) await attempt(writer[act](found, { ...of, files: [id] }))
  }
  const { commit } = ((await attempt(writer.commit(found, { ...of, message: 'All' }))) as {
    commit: string
  } | null) ?? { commit: '' }
  if (commit) await attempt(reader.commit(found, of, commit))
  put(repo, 'a', 'once more')
  const discarded = (await attempt(writer.discard(found, { ...of, files: [fileId('a')] }))) as { kept: string } | null
  if (discarded) await attempt(writer.undo(found, { ...of, kept: discarded.kept }))
  await attempt(writer.discard(found, { ...of, files: [fileId('a')] }))
  await attempt(writer.branch(found, { ...of, name: 'made', from: 'main', switch: true }))
  await attempt(writer.switch(found, { ...of, name: 'main' }))
  await attempt(reader.log(found, of))
  await attempt(reader.refs(found, of))
  const last = (await attempt(reader.last(found, of))) as { commit: string } | null
  if (last) await attempt(writer.commit(found, { ...of, message: 'All', amends: last.commit }))
  await attempt(reader.messagePrompt(found, { ...of, amends: true }))
  put(repo, 'a', 'put aside')
  await attempt(writer.stash(found, { ...of, untracked: true }))
  for (const stash of (await reader.stashes(found, of)).items) {
    await attempt(writer.applyStash(found, { ...of, ...stash }))
    await attempt(writer.dropStash(found, { ...of, ...stash }))
  }
}

/** Puts the trap where git could run it: hooks, and everything that the configuration names a program for. */
const set = (repo: string, gitdir = '.git'): void => {
  put(repo, `${gitdir}/trap`, TRAP)
  sh(
    repo,
    `cd ${gitdir}; chmod +x trap; trap=$PWD/trap; mkdir -p hooks
     for hook in applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change \\
       post-merge post-rewrite pre-applypatch pre-commit pre-merge-commit prepare-commit-msg reference-transaction; do
       cp trap hooks/$hook
     done
     for key in core.fsmonitor core.pager core.editor core.sshCommand core.askPass core.gitProxy diff.external gpg.program \\
       filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.command diff.evil.textconv merge.evil.driver \\
       credential.helper sequence.editor interactive.diffFilter uploadpack.packObjectsHook; do
       git config -f config $key "$trap"
     done
     for name in status log diff commit stash apply rev-parse update-index ls-files read-tree; do
       git config -f config alias.$name "!$trap"; git config -f config pager.$name "$trap"
     done
     git config -f config commit.gpgSign true; git config -f config log.showSignature true; git config -f config core.untrackedCache true`,
  )
}

describe('a hostile repository runs nothing:', () => {
  it('no hook, filter, fsmonitor, driver, alias, pager, signing or askpass program', async () => {
    const repo = repository()
    sh(repo, 'echo stashed >>d/e; git stash push -q; echo 4 >>a; git commit -qam two; echo 5 >>a; echo x >new')
    set(repo)
    // What git itself does there, without any of the precautions.
    sh(repo, 'git status >/dev/null 2>&1 || true')
    expect(existsSync(SPRUNG)).toBe(true)
    rmSync(SPRUNG)
    await everything(repo)
    expect(existsSync(SPRUNG)).toBe(false)
    expect(git(repo, '-c core.fsmonitor=false -c core.hooksPath=/ log -1 --no-show-signature --format=%s')).toBe('All')
  })

  it('no filter or driver that its attributes ask for, and such a file is not staged', async () => {
    const repo = repository()
    put(repo, '.gitattributes', '* filter=evil diff=evil merge=evil\n')
    git(repo, 'add .gitattributes')
    git(repo, 'commit -qm attributes')
    sh(repo, 'echo 4 >>a; echo x >new')
    set(repo)
    expect(await names(repo)).toEqual(['changed a', 'untracked new'])
    const { file } = await reader.diff(found, { repository: repo, file: fileId('a'), side: 'unstaged' })
    expect(file?.patch).toContain('+4')
    const refused = { code: 'GIT_REFUSED', message: expect.stringContaining('filter') as string }
    for (const act of ['stage', 'discard'] as const)
      await expect(writer[act](found, { repository: repo, files: [fileId('a')] })).rejects.toMatchObject(refused)
    await everything(repo)
    expect(existsSync(SPRUNG)).toBe(false)
  })

  it('no program of a submodule, nor its URL', async () => {
    const repo = repository()
    sh(
      repo,
      `git init -q sub; cd sub; git -c user.name=T -c user.email=t@x commit -q --allow-empty -m sub; cd ..
      git add sub 2>/dev/null; git config -f .gitmodules submodule.sub.path sub
      git config -f .gitmodules submodule.sub.url "ext::sh -c touch% '${SPRUNG}'"
      git add .gitmodules; git commit -qm sub; git config submodule.recurse true; git config status.submoduleSummary true
      git config diff.submodule log; git config fetch.recurseSubmodules true
      git -C sub -c user.name=T -c user.email=t@x commit -q --allow-empty -m more; echo dirty >sub/x`,
    )
    set(repo)
    set(repo, 'sub/.git')
    expect((await reader.status(found, { repository: repo })).files).toMatchObject([
      { path: 'sub', kind: 'repository' },
    ])
    const { file } = await reader.diff(found, { repository: repo, file: fileId('sub'), side: 'unstaged' })
    expect(file?.patch).toContain('+Subproject commit')
    await everything(repo)
    git(repo, `config -f .gitmodules submodule.sub.update "!touch '${SPRUNG}'"`)
    expect(await names(repo)).toContain('changed .gitmodules')
    await everything(repo)
    expect(existsSync(SPRUNG)).toBe(false)
  })

  it('no fetch of objects that it says a remote has', async () => {
    const repo = repository()
    const blob = git(repo, 'rev-parse HEAD:a')
    rmSync(join(home, repo, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    sh(
      repo,
      `git config remote.origin.url "ext::sh -c touch% '${SPRUNG}'"; git config remote.origin.promisor true
      git config remote.origin.uploadpack "touch '${SPRUNG}';"; git config extensions.partialClone origin
      git config core.repositoryFormatVersion 1; git config protocol.ext.allow always; echo 4 >>a`,
    )
    expect(await names(repo)).toEqual(['changed a'])
    await everything(repo)
    expect(existsSync(SPRUNG)).toBe(false)
  })

  it('nothing that another file of configuration names, and no work tree that is elsewhere', async () => {
    const repo = repository()
    writeFileSync(
      join(home, 'evil.config'),
      `[core]\n\tfsmonitor = touch '${SPRUNG}'\n\thooksPath = ${home}/hooks\n\tworktree = /etc\n`,
    )
    git(repo, 'config include.path ../../evil.config')
    await everything(repo)
    expect(existsSync(SPRUNG)).toBe(false)
    git(repo, 'config core.worktree /etc')
    await expect(reader.status(found, { repository: repo })).rejects.toMatchObject({ code: 'NO_REPOSITORY' })
  })
})

describe('a hostile work tree is shown as it is, and nothing outside is read or written:', () => {
  it('links out of it', async () => {
    const repo = repository()
    const outside = join(home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'e'), 'secret')
    sh(repo, 'rm -r d a')
    symlinkSync(outside, join(home, repo, 'd'))
    symlinkSync('/etc/passwd', join(home, repo, 'a'))
    expect(await names(repo)).toEqual(['changed a', 'changed d/e', 'untracked d'])
    const shown = await reader.diff(found, { repository: repo, file: fileId('a'), side: 'unstaged' })
    expect(shown.file?.patch).toMatch(/\+\/etc\/passwd\n\\ No newline/)
    const through = await reader.diff(found, { repository: repo, file: fileId('d/e'), side: 'unstaged' })
    expect(through.file).toMatchObject({ status: 'deleted' })
    await writer.discard(found, { repository: repo, files: [fileId('d'), fileId('d/e'), fileId('a')] })
    expect(readFileSync(join(outside, 'e'), 'utf8')).toBe('secret')
    expect(readFileSync(join(home, repo, 'a'), 'utf8')).toBe('1\n2\n3\n')
    expect(await names(repo)).toEqual([])
    symlinkSync(outside, join(home, repo, 'way'))
    await expect(writer.stage(found, { repository: repo, files: [fileId('way/e')] })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
  })

  it('names with line feeds, quotes, dashes, magic words and bytes that are not UTF-8', async () => {
    const repo = repository()
    const unusual = [
      Buffer.from('line\nfeed'),
      Buffer.from('a "b'),
      Buffer.from('-rf'),
      Buffer.from(':(top)x'),
      Buffer.from('*'),
      Buffer.from([0x6e, 0xff]),
    ]
    for (const name of unusual) writeFileSync(Buffer.concat([Buffer.from(`${home}/${repo}/`), name]), '1\n')
    const { files } = await reader.status(found, { repository: repo })
    expect(files.map(({ path }) => path)).toEqual(['*', '-rf', ':(top)x', 'a "b', 'line\nfeed', 'n\uFFFD'])
    for (const { id } of files) {
      const { file } = await reader.diff(found, { repository: repo, file: id, side: 'unstaged' })
      expect(file?.patch).toContain('\n+1\n')
    }
    await writer.stage(found, { repository: repo, files: files.map(({ id }) => id) })
    expect(git(repo, 'diff --cached --name-only -z').split('\0').filter(Boolean)).toHaveLength(6)
    await writer.unstage(found, { repository: repo, files: files.map(({ id }) => id) })
    await writer.discard(found, {
      repository: repo,
      files: files.filter(({ path }) => path !== '*').map(({ id }) => id),
    })
    expect(await names(repo)).toEqual(['untracked *'])
  })

  it('a home whose repositories have such names', async () => {
    mkdirSync(Buffer.concat([Buffer.from(`${home}/r`), Buffer.from([0xff])]))
    mkdirSync(join(home, 'two\nlines/.git'), { recursive: true })
    writeFileSync(join(home, 'two\nlines/.git/HEAD'), 'ref: refs/heads/x\n')
    const { unnamed, items } = await reader.repositories(found)
    expect(unnamed).toBe(1)
    expect(items.map(({ path }) => path).join()).not.toContain('two')
  })

  it('a .git that is a file, a link, a pipe or a folder of something else', async () => {
    const repo = repository()
    const place = (name: string): string => {
      mkdirSync(join(home, name))
      return name
    }
    writeFileSync(join(home, place('elsewhere'), '.git'), `gitdir: ${home}/${repo}/.git\n`)
    writeFileSync(join(home, place('system'), '.git'), 'gitdir: /etc\n')
    writeFileSync(join(home, place('noise'), '.git'), Buffer.alloc(100_000, 'x'))
    symlinkSync('/etc', join(home, place('linked'), '.git'))
    sh(place('piped'), 'mkfifo .git')
    sh(place('piped-head'), 'mkdir .git; mkfifo .git/HEAD')
    for (const name of ['system', 'noise', 'linked', 'piped', 'piped-head'])
      await expect(reader.status(found, { repository: name })).rejects.toMatchObject({ code: 'NO_REPOSITORY' })
    // It is the other repository with an empty work tree.
    expect(await names('elsewhere')).toEqual(['changed a', 'changed b c', 'changed d/e'])
    const { items } = await reader.repositories(found)
    expect(items.find(({ path }) => path === 'elsewhere')).toMatchObject({ kind: 'linked', branch: 'main' })
  })

  it('an index that is huge, broken, or a link', async () => {
    const repo = repository()
    truncateSync(join(home, repo, '.git/index'), 300_000_000)
    const message = expect.stringContaining('256 MiB') as string
    await expect(reader.status(found, { repository: repo })).rejects.toMatchObject({ code: 'GIT_REFUSED', message })
    writeFileSync(join(home, repo, '.git/index'), 'no index')
    await expect(reader.status(found, { repository: repo })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    rmSync(join(home, repo, '.git/index'))
    symlinkSync('/dev/zero', join(home, repo, '.git/index'))
    expect(await names(repo)).toHaveLength(6)
  })

  it('texts of commits and branches that are none', async () => {
    const repo = repository()
    sh(
      repo,
      `git -c user.name="$(printf 'x\\033[31m')" commit -q --allow-empty -m "$(printf '<b>\\033]0;t\\007\\342\\200\\256')"
      tree=$(git rev-parse HEAD^{tree}); printf 'tree %s\\nauthor x <x> 99999999999999999 +0000\\ncommitter y <y> zz +0000\\n\\n\\377\\000x' $tree >c
      git update-ref refs/heads/odd $(git hash-object -t commit -w --stdin --literally <c); rm c`,
    )
    const { items } = await reader.log(found, { repository: repo })
    expect(items.map(({ subject }) => subject)).toContain('<b>\u001B]0;t\u0007\u202E')
    expect(items).toHaveLength(3)
    const odd = (await reader.refs(found, { repository: repo })).items.find(({ name }) => name === 'odd')
    expect(odd).toMatchObject({ kind: 'branch' })
  })
})
