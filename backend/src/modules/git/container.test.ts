/** The same scripts in a real container: what a user does in an ordinary repository, and a hostile one that runs nothing. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { newSpec } from '../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { fileId, FOUND } from '../../../test/support/git/local.ts'
import { GitReader } from './reader.ts'
import { GitRunner } from './runner.ts'
import { GitWriter } from './writer/writer.ts'

const { runtime } = useEngine()
let containerId = ''
beforeAll(async () => {
  containerId = (await runtime.launch(newSpec(IMAGE))).id
})

const runner = new GitRunner({
  agents: { snapshot: () => ({ runningId: containerId }) as never },
  runtime: { run: (...args) => runtime.run(...args) },
  newId: randomUUID,
})
const reader = new GitReader(runner, { saw: () => undefined })
const writer = new GitWriter({ runner, audit: { recordNow: () => Promise.resolve() } })
const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-ec', `cd; ${script}`]
  const { exitCode, stdout, stderr } = await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1e6 })
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stderr.toString()}`)
  return stdout.toString().trim()
}

it('a file is staged, committed, discarded and brought back, and a branch is checked out', async () => {
  await sh(`git config --global user.name Tester; git config --global user.email t@example.org
    mkdir -p work/app; cd work/app; git init -qb main; echo 1 >a; echo 1 >"b c"; git add -A; git commit -qm one; echo 2 >>a; echo 2 >>"b c"`)
  const of = { repository: 'work/app' }
  expect(await reader.repositories(FOUND)).toMatchObject({
    items: [{ path: 'work/app', kind: 'main', branch: 'main' }],
  })
  await writer.stage(FOUND, { ...of, files: [fileId('a')] })
  const { seen, file } = await reader.diff(FOUND, { ...of, file: fileId('a'), side: 'staged' })
  expect([file?.insertions, seen?.base]).toEqual([1, expect.stringMatching(/^[0-9a-f]{40}$/)])
  const { commit } = await writer.commit(FOUND, { ...of, message: 'Two' })
  expect((await reader.commit(FOUND, of, commit)).files).toMatchObject([{ path: 'a', insertions: 1 }])
  const { kept } = await writer.discard(FOUND, { ...of, files: [fileId('b c')] })
  expect((await reader.status(FOUND, of)).files).toEqual([])
  await writer.undo(FOUND, { ...of, kept })
  await writer.branch(FOUND, { ...of, name: 'topic', switch: true })
  expect(await reader.status(FOUND, of)).toMatchObject({
    branch: 'topic',
    files: [{ path: 'b c', unstaged: 'modified' }],
  })
  expect((await reader.log(FOUND, of)).items.map(({ subject }) => subject)).toEqual(['Two', 'one'])
  expect((await reader.refs(FOUND, of)).items.map(({ name }) => name).sort()).toEqual(['main', 'topic'])
  expect(await sh('ls /tmp')).not.toContain('slipway-changes')
})

it('nothing changes where a folder cannot be written: neither by a switch, nor by a discard or a stash', async () => {
  await sh(`mkdir -p stuck/d; cd stuck; git init -qb main; git config user.name T; git config user.email t@example.org
    echo 1 >a; echo 1 >d/f; git add -A; git commit -qm one; git checkout -qb other; echo 3 >a; git rm -q d/f; git commit -qam two
    git checkout -q main; chmod 555 d`)
  const of = { repository: 'stuck' }
  const refused = {
    code: 'GIT_REFUSED',
    message: expect.stringMatching(/nothing has changed.* The folder \.\/d cannot be written/) as string,
  }
  const state = 'cd stuck; git branch --show-current; git status --porcelain; git stash list; cat a d/f'
  await expect(writer.switch(FOUND, { ...of, name: 'other' })).rejects.toMatchObject(refused)
  expect(await sh(state)).toBe('main\n1\n1')
  await sh('cd stuck; echo 2 >>a; echo 2 >>d/f; echo n >new')
  await expect(writer.discard(FOUND, { ...of, files: ['a', 'd/f'].map(fileId) })).rejects.toMatchObject(refused)
  await expect(writer.stash(FOUND, { ...of, untracked: true })).rejects.toMatchObject(refused)
  expect(await sh(state)).toBe('main\n M a\n M d/f\n?? new\n1\n2\n1\n2')
  await sh('cd stuck; chmod 755 d; chmod 555 .git')
  await expect(writer.stage(FOUND, { ...of, files: [fileId('a')] })).rejects.toMatchObject({
    message: expect.stringContaining('index.lock cannot be created'),
  })
  await sh('chmod 755 stuck/.git')
})

it('a hostile repository runs nothing in the container, and leaves no process', async () => {
  await sh(`mkdir evil; cd evil; git init -qb main; echo 1 >a; git add -A; git commit -qm one; echo 2 >>a
    printf '#!/bin/sh\\ntouch /tmp/sprung\\n' >.git/trap; chmod +x .git/trap; trap=$PWD/.git/trap
    for hook in pre-commit post-commit reference-transaction post-index-change; do cp $trap .git/hooks/$hook; done
    for key in core.fsmonitor core.pager filter.evil.clean diff.external gpg.program alias.status; do git config -f .git/config $key $trap; done
    git config -f .git/config commit.gpgSign true; mkfifo pipe`)
  await sh('cd evil; git status >/dev/null 2>&1 || true; ls /tmp/sprung; rm /tmp/sprung')
  const of = { repository: 'evil' }
  expect((await reader.status(FOUND, of)).files.map(({ path }) => path)).toEqual(['a'])
  await writer.stage(FOUND, { ...of, files: [fileId('a')] })
  await writer.commit(FOUND, { ...of, message: 'Two' })
  await writer.branch(FOUND, { ...of, name: 'topic', switch: true })
  expect(await sh('ls /tmp; ps -eo args')).not.toMatch(/sprung|slipway-git/)
})
