/** Reads what changed in real work trees, in a real container. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { SECRET, useWorkTrees } from '../../../../test/support/runs/work-trees.ts'
import { ownFolder } from '../../git/work-tree.ts'
import { KEPT_RUNS } from './program.ts'
import { readDiff, startTreeOf } from './stored.ts'

const { folder, sh, newRepository, begin, changedBy } = useWorkTrees()
const NOTHING_KNOWN = { changesDetected: null, filesChanged: null, insertions: null, deletions: null, files: [] }
const COMMIT = 'git add -A; git commit -qm one'

describe('the changes of a run', () => {
  it('are its commits, what it staged, what it did not, and its new files, but not what was changed before', async () => {
    const diff = await changedBy(
      `echo committed >>a; git add a; git commit -qm two; echo staged >>b; git add b; echo 4 >>c; echo new >new
       git mv moved elsewhere; rm gone; printf '\\0\\1' >binary; echo x >ignored; ln -s a link; chmod +x mode`,
      `for f in a b c moved gone mode dirty; do echo $f >$f; done; echo ignored >.gitignore; ${COMMIT}
       echo before >>dirty; echo before >untracked; git rm -q --cached c`,
    )
    expect(diff).toMatchObject({ live: true, changesDetected: true, filesChanged: 9, truncated: false })
    expect([diff.insertions, diff.deletions]).toEqual([5, 1])
    expect(diff.files.map(({ path, oldPath, status }) => [path, oldPath, status])).toEqual([
      ['a', null, 'modified'],
      ['b', null, 'modified'],
      ['binary', null, 'added'],
      ['c', null, 'modified'],
      ['elsewhere', 'moved', 'renamed'],
      ['gone', null, 'deleted'],
      ['link', null, 'added'],
      ['mode', null, 'modified'],
      ['new', null, 'added'],
    ])
    const [a, , binary, , , gone, , mode] = diff.files
    expect(a).toMatchObject({ insertions: 1, deletions: 0, binary: false, tooLarge: false, size: 12 })
    expect(a?.patch).toMatch(/^diff --git a\/a b\/a\n[^]*\n@@ -1 \+1,2 @@\n a\n\+committed\n$/)
    expect(binary).toMatchObject({ binary: true, insertions: null, size: 2, patch: null, tooLarge: false })
    expect(gone).toMatchObject({ size: null, deletions: 1 })
    expect(mode?.patch).toContain('new mode 100755')
  })

  it('are those of the whole work tree if the run was in a folder of it', async () => {
    const cwd = await newRepository(`mkdir sub; echo x >sub/x; ${COMMIT}`)
    const { changes } = await begin(`${cwd}/sub`)
    await sh(`echo y >${cwd}/y`)
    expect((await changes.diff()).files.map(({ path }) => path)).toEqual(['y'])
    await changes.leave()
  })

  // `git/read.test.ts` has a repository without a commit, and worktrees.
  longIt('are seen in a repository without a commit, in a second work tree, and in one with SHA-256', async () => {
    expect(await changedBy('echo 1 >one', 'true')).toMatchObject({ filesChanged: 1 })
    const tree = `/home/developer/ a "tree ${randomUUID()} `
    const main = await newRepository()
    await sh(`cd ${main}; git worktree add -q -b other '${tree}'`)
    const { changes } = await begin(tree)
    await sh(`echo 4 >>'${tree}/old'`)
    expect(await changes.diff()).toMatchObject({ filesChanged: 1, insertions: 1 })
    await changes.leave()
    expect(
      await changedBy('echo 4 >>old', `rm -r .git; git init -q --object-format=sha256; echo 1 >old; ${COMMIT}`),
    ).toMatchObject({
      filesChanged: 1,
      insertions: 1,
    })
  })

  it('are none if nothing changed, also if a file was only touched', async () => {
    const diff = await changedBy('touch old', `echo 1 >old; ${COMMIT}; echo 2 >>old`)
    expect(diff).toMatchObject({ changesDetected: false, filesChanged: 0, insertions: 0, deletions: 0, files: [] })
  })

  it('are seen where a file was written in the same moment as the index, with the same size', async () => {
    expect(await changedBy('printf b >old', `printf a >old; git add -A; printf c >old`)).toMatchObject({
      filesChanged: 1,
    })
  })

  it('have names with quotes, line feeds and bytes that are not UTF-8', async () => {
    const { files } = await changedBy(
      `echo 1 >'a "b'; echo 2 >"$(printf 'c\\nd')"; echo 3 >"$(printf 'e\\377')"; echo 4 >größer`,
    )
    expect(files.map(({ path }) => path)).toEqual(['a "b', 'c\nd', 'e\uFFFD', 'größer'])
    expect(files.map(({ patch }) => /\n\+(\d)\n$/.exec(patch ?? '')?.[1])).toEqual(['1', '2', '3', '4'])
  })

  it('are read where a folder became a link', async () => {
    const { files } = await changedBy(
      'mv d ../moved; ln -s ../moved d; rm -r e; ln -s /missing e',
      `mkdir d e; echo 1 >d/in; echo 1 >e/in; ${COMMIT}`,
    )
    expect(files.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'd added',
      'd/in deleted',
      'e added',
      'e/in deleted',
    ])
    await sh('rm -r moved')
  })

  it('are read across a conflict, a file that became a folder, and one that became a link', async () => {
    const before = `echo 1 >a; echo 1 >b; echo 1 >c; ${COMMIT}; git checkout -qb other; echo 2 >a; git commit -qam two
      git checkout -q -; echo 3 >a; git commit -qam three; git merge other || true`
    const { files } = await changedBy('echo 4 >a; rm b; mkdir b; echo 5 >b/x; ln -sf a c; echo 6 >d', before)
    expect(files.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'a modified',
      'b deleted',
      'b/x added',
      'c modified',
      'd added',
    ])
    expect(files.at(3)?.patch?.match(/^diff --git/gm)).toHaveLength(2)
    expect(files.at(4)?.patch).toContain('+6')
  })

  it('show no known secret', async () => {
    const { files } = await changedBy(`echo key=${SECRET} >env; echo 1 >${SECRET}`)
    expect(files.map(({ path }) => path)).toEqual(['***', 'env'])
    expect(JSON.stringify(files)).not.toContain(SECRET)
    expect(files[1]?.patch).toContain('+key=***')
  })

  it('leave nothing in the repository, and the index as it was', async () => {
    const cwd = await newRepository()
    const state = `cd ${cwd}; find .git -type f | xargs sha256sum | sort; stat -c %y .git/index`
    await sh(`cd ${cwd}; echo staged >s; git add s; echo untracked >u`)
    const before = await sh(state)
    const { id, changes } = await begin(cwd)
    await changes.diff()
    expect(await sh(state)).toBe(before)
    await changes.leave()
    expect(await sh(`ls -d ${ownFolder(id)} 2>&1 || true`)).toContain('No such file')
  })

  // The first test looks at them while the container has its start.
  longIt(
    'can be looked at later while the container has the starts of the last runs, of which it keeps so many',
    async () => {
      const cwd = await newRepository()
      const { id, changes } = await begin(cwd)
      const { id: unended } = await begin(cwd)
      await sh(`echo 4 >>${cwd}/old`)
      await changes.collect()
      await changes.leave()
      expect(await startTreeOf(folder, id)).toMatch(/^[0-9a-f]{40}$/)
      await sh(`cd /tmp; touch -d '1 hour ago' ${ownFolder(id)}/over
      for n in $(seq 2 ${KEPT_RUNS}); do mkdir slipway-changes-0$n; touch slipway-changes-0$n/over; done; mkdir slipway-changes-x`)
      const kept = async (): Promise<string[]> => (await sh('ls /tmp')).split('\n').map((name) => `/tmp/${name}`)
      const last = await begin(cwd)
      expect(await kept()).toContain(ownFolder(id))
      await last.changes.collect()
      await last.changes.leave()
      expect(await kept()).not.toContain(ownFolder(id))
      expect(await kept()).toEqual(
        expect.arrayContaining([ownFolder(unended), ownFolder(last.id), '/tmp/slipway-changes-02']),
      )
      await sh('rm -r /tmp/slipway-changes-*')
    },
  )

  it('are stored at the end, and then the same for good', async () => {
    const cwd = await newRepository()
    const { id, changes, late } = await begin(cwd)
    await sh(`cd ${cwd}; echo 4 >>old`)
    const counts = { changesDetected: true, filesChanged: 1, insertions: 1, deletions: 0 }
    expect(await changes.collect()).toEqual({ ...counts, startTree: null })
    await sh(`cd ${cwd}; echo 5 >>old`)
    const diff = await changes.diff()
    expect(diff).toMatchObject({ live: false, ...counts })
    expect(await readDiff(folder, id)).toEqual(diff)
    await changes.collectLate()
    expect(late).toEqual([{ ...counts, startTree: null }])
    await changes.leave()
    expect(readdirSync(folder).filter((name) => name.startsWith(id))).toEqual([`${id}.changes.json`])
  })
})

describe('the changes are unknown', () => {
  it.each([
    ['in a folder of no work tree', 'mkdir plain', 'plain'],
    ['in a missing folder', 'true', 'missing'],
    ['in a bare repository', 'git init -q --bare bare', 'bare'],
  ])('%s', async (_what, script, name) => {
    await sh(script)
    const { startTree, changes } = await begin(`/home/developer/${name}`)
    expect(startTree).toBeNull()
    expect(await changes.collect()).toMatchObject({ changesDetected: null, startTree: null })
  })

  it('where the repository says that its work tree is elsewhere', async () => {
    const cwd = await newRepository(`${COMMIT} --allow-empty; git config core.worktree /etc`)
    expect((await begin(cwd)).startTree).toBeNull()
  })

  // The test before has changes that are unknown, with their reason.
  longIt('where the untracked files are too many or too large, and the start waits for none of them', async () => {
    await sh('rm -rf /tmp/slipway-changes-*')
    const large = await newRepository('truncate -s 1G large')
    const many = await newRepository(`seq 1 30000 | sed 's/^/${'x'.repeat(60)}/' | xargs touch`)
    for (const cwd of [large, many]) expect((await begin(cwd)).startTree).toBeNull()
    expect(await sh('ls /tmp')).not.toContain('slipway-changes')
  })

  it('when the repository is gone at the end', async () => {
    const cwd = await newRepository()
    const { changes, id } = await begin(cwd)
    await sh(`rm -rf ${cwd}`)
    expect(await changes.diff()).toMatchObject({ ...NOTHING_KNOWN, sessionId: id, live: true })
    await changes.leave()
  })
})

describe('a large change', () => {
  it('is counted, and of its patch comes as much as fits', async () => {
    const { files, insertions, truncated, filesChanged } = await changedBy(
      'seq 1 100000 >many; seq 1 1000000 >huge; for i in $(seq 1 8); do seq 1 30000 >part$i; done; echo 1 >z',
    )
    expect([filesChanged, insertions, truncated]).toEqual([11, 340_001, true])
    const of = (name: string) => files.find(({ path }) => path === name)
    expect(of('many')).toMatchObject({ tooLarge: true, insertions: 100_000, patch: null, binary: false })
    expect(of('huge')).toMatchObject({ tooLarge: true, insertions: null, patch: null, binary: false, size: 6_888_896 })
    expect(files.filter(({ path, patch }) => path.startsWith('part') && patch !== null)).toHaveLength(5)
    expect(of('z')).toMatchObject({ patch: expect.stringContaining('+1\n') as string })
  })

  // The test before has a change that is too large, with its count.
  longIt('of many files lists a thousand of them', async () => {
    const { files, filesChanged, truncated } = await changedBy('for i in $(seq 1 1200); do echo $i >f$i; done')
    expect([files.length, filesChanged, truncated]).toEqual([1000, 1200, true])
  })
})
