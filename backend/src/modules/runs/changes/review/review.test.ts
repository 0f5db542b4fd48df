/** Takes changes back in real work trees, in a real container. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodingSessionDiff, DiscardChanges } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSpec } from '../../../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../../../test/support/engine/engine.ts'
import { silentLog } from '../../../../lib/log.ts'
import type { Caller } from '../../../identity/caller.ts'
import { Masking } from '../../output/masking.ts'
import type { RunRow } from '../../repository.ts'
import { beginChanges, RunChanges } from '../changes.ts'
import { UNKNOWN } from '../../../git/diff/parse.ts'
import { ownFolder } from '../../../git/work-tree.ts'
import { readDiff } from '../stored.ts'
import { ChangeReview, type ReviewDeps } from './review.ts'

const { runtime } = useEngine()
const folder = mkdtempSync(join(tmpdir(), 'slipway-review-'))
const SECRET = 'a-secret-of-the-tests-0816'
const CALLER = { userId: 'u', email: 'u@example.org', role: 'user', via: { kind: 'sign_in', signInId: 's' } } as Caller
let containerId = ''

beforeAll(async () => {
  containerId = (await runtime.launch(newSpec(IMAGE))).id
  await sh('git config --global user.name Tester; git config --global user.email tester@example.org')
})
afterAll(() => rmSync(folder, { recursive: true }))

const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-ec', script]
  const { exitCode, stdout, stderr } = await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1e6 })
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stderr.toString()}`)
  return stdout.toString()
}

/** A run that has ended in a new repository, after `before` and with the changes of `script`. */
const reviewed = async (before: string, script: string) => {
  const cwd = `/home/developer/r-${randomUUID()}`
  await sh(`mkdir ${cwd}; cd ${cwd}; git init -q; ${before}\ngit add -A; git commit -qm one --allow-empty`)
  const id = randomUUID()
  const repository = { changed: () => Promise.resolve() }
  const deps = { runtime, repository, folder, log: silentLog }
  const startTree = await beginChanges(deps, containerId, { id, cwd })
  const held = { id, generation: 1 }
  const changes = new RunChanges(deps, { held, containerId, startTree, masking: new Masking([SECRET]) })
  await sh(`cd ${cwd}\n${script}`)
  await changes.collect()
  await changes.leave()
  const run = {
    id,
    cwd,
    agentId: 'a',
    userId: 'u',
    endedAt: new Date(),
    resumed: null,
    createdAt: new Date(),
  } as RunRow
  const found = { caller: CALLER, row: { id: 'a', name: 'a', ownerEmail: 'u' }, relation: 'owner' }
  const audited: unknown[] = []
  let active: string[] = []
  const review = new ChangeReview({
    runs: {
      require: () => Promise.resolve({ run, live: null, found }),
      diff: async () => (await readDiff(folder, id)) ?? { sessionId: id, live: false, ...UNKNOWN },
    },
    rows: {
      firstOf: () => Promise.resolve(run),
      hasLater: () => Promise.resolve(false),
      activeFolders: () => Promise.resolve(active),
    },
    agents: { snapshot: () => ({ runningId: containerId }) },
    provisioner: { taskSecrets: () => Promise.resolve([SECRET]) },
    runtime,
    audit: { recordNow: (entry: unknown) => Promise.resolve(void audited.push(entry)) },
    folder,
  } as unknown as ReviewDeps)
  const diff = (): Promise<CodingSessionDiff> => review.diff(CALLER, id, 'turn')
  const discard = async (path: string, what: Partial<DiscardChanges> = {}) =>
    review.discard(CALLER, id, { since: 'turn', tree: (await diff()).tree ?? '', path, ...what })
  return {
    ...{ id, cwd, audited, diff, discard },
    undo: (done: Awaited<ReturnType<typeof discard>>) => review.undo(CALLER, id, done),
    paths: async () => (await diff()).files.map((file) => file.path),
    read: (path: string) => sh(`cat '${cwd}/${path}'`),
    setActive: (folders: string[]) => void (active = folders),
  }
}
const CONFLICT = { code: 'CHANGES_CONFLICT' }
const LINES = 'seq 1 40 >file'
const EDITS = `sed -i 's/^2$/two/; s/^20$/twenty/; s/^38$/last/' file`

describe('a discard', () => {
  it('takes one hunk back, and is undone, without a change to the index or a commit', async () => {
    const { cwd, diff, discard, undo, read, audited } = await reviewed(LINES, EDITS)
    const state = `cd ${cwd}; git rev-parse HEAD; git diff --cached --raw; sha256sum .git/index`
    const before = await sh(state)
    const done = await discard('file', { hunk: 1 })
    expect((await read('file')).split('\n').filter((line) => !/^\d*$/.test(line))).toEqual(['two', 'last'])
    expect(await diff()).toMatchObject({ live: false, filesChanged: 1, insertions: 2, deletions: 2 })
    await undo(done)
    expect((await read('file')).split('\n').filter((line) => !/^\d*$/.test(line))).toEqual(['two', 'twenty', 'last'])
    expect(await sh(state)).toBe(before)
    expect(audited).toMatchObject([
      { action: 'changes.discarded', detail: { path: 'file', hunk: 1 } },
      { action: 'changes.restored' },
    ])
  })

  it('takes back the hunk that was seen, also where the same lines are elsewhere', async () => {
    const same = `for n in 1 2 3; do seq 1 20; done >file`
    const { discard, read } = await reviewed(same, `sed -i 's/^10$/ten/' file`)
    await discard('file', { hunk: 1 })
    expect((await read('file')).split('\n').filter((line) => line === 'ten' || line === '10')).toEqual([
      'ten',
      '10',
      'ten',
    ])
  })

  it('of a file deletes a new one, restores a deleted one and its mode, and takes back a binary one and a commit', async () => {
    const { cwd, discard, undo, paths, read } = await reviewed(
      `echo gone >gone; chmod +x gone; printf '\\0\\1' >binary; echo 1 >committed; echo m >mode; mkdir d; echo in >d/in`,
      `rm gone; printf '\\0\\2\\3' >binary; echo 2 >committed; git commit -qam two; mkdir new; echo new >new/file
       chmod +x mode; rm -r d; truncate -s 300K large`,
    )
    const binary = await discard('binary')
    for (const path of ['gone', 'committed', 'new/file', 'mode', 'd/in', 'large']) await discard(path)
    expect(await paths()).toEqual([])
    expect(await sh(`cd ${cwd}; ls -A; stat -c '%a %n' gone mode d/in; od -An -tx1 binary`)).toBe(
      '.git\nbinary\ncommitted\nd\ngone\nmode\n755 gone\n644 mode\n644 d/in\n 00 01\n',
    )
    await undo(binary)
    expect(await sh(`od -An -tx1 ${cwd}/binary`)).toBe(' 00 02 03\n')
    expect(await read('committed')).toBe('1\n')
  })

  // The test before has files of every other kind.
  longIt('of a renamed file takes back its name, or a hunk under its new name', async () => {
    const { cwd, discard, undo, read } = await reviewed(
      `seq 1 40 >'old "name'`,
      `git mv 'old "name' 'new name'; sed -i 's/^20$/x/' new*`,
    )
    const of = { oldPath: 'old "name' }
    const hunk = await discard('new name', { ...of, hunk: 0 })
    expect(await read('new name')).not.toContain('x')
    await undo(hunk)
    const file = await discard('new name', of)
    expect(await sh(`cd ${cwd}; ls; cat old* | wc -l`)).toBe('old "name\n40\n')
    await undo(file)
    expect(await read('new name')).toContain('x')
  })

  it('is refused once the file has changed since, and changes nothing then', async () => {
    const { cwd, diff, discard, undo, read } = await reviewed(`${LINES}; cp file other`, `${EDITS}; echo 41 >>other`)
    const { tree = '' } = await diff()
    const done = await discard('file', { hunk: 0 })
    // Another file does not matter.
    await discard('other', { tree })
    const before = await read('file')
    await expect(discard('file', { tree, hunk: 0 })).rejects.toMatchObject(CONFLICT)
    await expect(discard('file', { tree })).rejects.toMatchObject(CONFLICT)
    await expect(discard('file', { hunk: 7 })).rejects.toMatchObject(CONFLICT)
    await expect(discard('nothing')).rejects.toMatchObject(CONFLICT)
    await expect(discard('file', { tree: '0'.repeat(40) })).rejects.toMatchObject(CONFLICT)
    expect(await read('file')).toBe(before)
    await sh(`echo 41 >>${cwd}/file`)
    await expect(undo(done)).rejects.toMatchObject(CONFLICT)
    expect(await read('file')).toBe(`${before}41\n`)
  })

  it('is refused while a task is at work in the work tree, whatever its folder there is', async () => {
    const { cwd, discard, setActive } = await reviewed(`${LINES}; mkdir sub; echo 1 >sub/x`, EDITS)
    setActive(['/home/developer', `${cwd}/sub`])
    await expect(discard('file')).rejects.toMatchObject({ code: 'WRONG_STATE' })
    setActive(['/home/developer', '/missing'])
    await discard('file')
  })

  // The first test takes one back.
  longIt('of many at once keeps them all', async () => {
    const { diff, discard, paths } = await reviewed(
      'for n in 1 2 3 4; do echo $n >f$n; done',
      'for n in 1 2 3 4; do echo x >f$n; done',
    )
    const { tree = '' } = await diff()
    await Promise.all(['f1', 'f2', 'f3', 'f4'].map((path) => discard(path, { tree })))
    expect(await paths()).toEqual([])
  })

  it('brings back a secret that the diff does not show', async () => {
    const { diff, discard, read } = await reviewed(`echo key=${SECRET} >env`, 'echo key=other >env')
    expect((await diff()).files[0]?.patch).toContain('-key=***')
    await discard('env', { hunk: 0 })
    expect(await read('env')).toBe(`key=${SECRET}\n`)
  })

  // In the short form the container knows the start.
  longIt('says so once the container has forgotten the start, and for a run from before it was kept', async () => {
    const { id, diff, discard } = await reviewed(LINES, EDITS)
    const { tree = '' } = await diff()
    await sh(`rm -r ${ownFolder(id)}`)
    await expect(discard('file', { tree })).rejects.toMatchObject({ code: 'CHANGES_GONE' })
    const kept = await diff()
    expect(kept).toMatchObject({
      filesChanged: 1,
      insertions: 3,
      reason: expect.stringContaining('no longer') as string,
    })
    expect(kept.tree).toBeUndefined()
    rmSync(join(folder, `${id}.changes.json`))
    await expect(discard('file', { tree })).rejects.toMatchObject({ code: 'CHANGES_GONE' })
    expect((await diff()).changesDetected).toBeNull()
  })
})

describe('in a hostile repository a discard', () => {
  it('runs nothing: no fsmonitor, hook, filter or diff driver', async () => {
    const trap = 'touch /tmp/sprung'
    const { discard, undo, read } = await reviewed(
      `${LINES}; echo '* filter=evil diff=evil merge=evil' >.gitattributes`,
      `${EDITS}
       printf '#!/bin/sh\\n${trap}\\n' >.git/trap; chmod +x .git/trap; trap=$PWD/.git/trap
       for hook in post-index-change pre-commit post-checkout fsmonitor-watchman; do cp .git/trap .git/hooks/$hook; done
       for key in core.fsmonitor core.pager core.editor diff.external filter.evil.clean filter.evil.smudge \\
         filter.evil.process diff.evil.command diff.evil.textconv merge.evil.driver alias.apply; do
         git config -f .git/config $key "$trap"
       done
       git config -f .git/config filter.evil.required true; rm -f /tmp/sprung`,
    )
    await undo(await discard('file', { hunk: 0 }))
    await discard('file')
    expect(await read('file')).not.toContain('t')
    expect(await sh('ls /tmp')).not.toContain('sprung')
  })

  it('writes to no file behind a link, and to none outside of the work tree', async () => {
    const { cwd, discard } = await reviewed(
      'mkdir d; echo in >d/in; echo 1 >file',
      'mkdir ../outside-$$; rm -r d; ln -s ../outside-$$ d; rm file; ln -s /tmp/target file',
    )
    await expect(discard('d/in')).rejects.toMatchObject(CONFLICT)
    await discard('file')
    expect(await sh(`cd ${cwd}; cat file; ls d/ /tmp`)).not.toContain('target')
    for (const path of ['../../etc/passwd', '/etc/passwd', '.git/config', ':(top)file', '*', '.'])
      await expect(discard(path)).rejects.toMatchObject({ statusCode: 409 })
    expect(await sh(`ls ${cwd}/d/`)).toBe('')
  })

  // The test before has links in the place of files.
  longIt('leaves alone a folder in the place of a file, and a submodule', async () => {
    const { cwd, discard } = await reviewed(
      `echo 1 >file; git init -q part; (cd part; echo 1 >x; git add x; git commit -qm one); git add part 2>/dev/null`,
      'rm file; mkdir file; echo in >file/in; cd part; echo 2 >x; git commit -qam two',
    )
    const refused = { code: 'FILE_REFUSED' }
    await expect(discard('file')).rejects.toMatchObject(refused)
    await expect(discard('part')).rejects.toMatchObject(refused)
    expect(await sh(`cd ${cwd}; cat file/in part/x`)).toBe('in\n2\n')
  })
})
