/** What a hostile repository does to a run whose changes are read, in a real container. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { useWorkTrees } from '../../../../test/support/runs/work-trees.ts'

const { sh, newRepository, begin } = useWorkTrees()
const COMMIT = 'git add -A; git commit -qm one'

describe('a hostile repository', () => {
  it('runs nothing: no fsmonitor, hook, filter, diff driver or submodule of it', async () => {
    const trap = 'touch /tmp/sprung'
    const cwd = await newRepository(
      `git init -q part; (cd part; echo 1 >x; git add x; git commit -qm one); git add part 2>/dev/null; echo 1 >old; ${COMMIT}
       echo '* filter=evil diff=evil' >.gitattributes; cp .gitattributes part
       for git in .git part/.git; do
         printf '#!/bin/sh\\n${trap}\\n' >$git/trap; chmod +x $git/trap; trap=$PWD/$git/trap
         for hook in post-index-change pre-commit fsmonitor-watchman; do cp $git/trap $git/hooks/$hook; done
         for key in core.fsmonitor core.pager core.editor core.sshCommand core.askPass diff.external filter.evil.clean \\
           filter.evil.smudge filter.evil.process diff.evil.command diff.evil.textconv gpg.program alias.ls-files; do
           git config -f $git/config $key "$trap"
         done
         git config -f $git/config filter.evil.required true
       done
       echo 2 >>old; echo 2 >>part/x`,
    )
    // What git itself does there, without any of the precautions.
    await sh(`cd ${cwd}; git status >/dev/null 2>&1 || true`)
    expect(await sh('ls /tmp')).toContain('sprung')
    await sh('rm /tmp/sprung')
    const { changes } = await begin(cwd)
    await sh(`cd ${cwd}; echo 3 >>old; echo 3 >>part/x; echo 4 >new`)
    const { files } = await changes.diff()
    await changes.collect()
    expect(files.map(({ path, insertions }) => [path, insertions])).toEqual([
      ['new', 1],
      ['old', 1],
    ])
    expect(await sh('ls /tmp')).not.toContain('sprung')
    await changes.leave()
  })

  it('that never answers holds up neither the start nor the end for long', async () => {
    const cwd = await newRepository('mkfifo pipe; git config include.path $PWD/pipe')
    const began = performance.now()
    expect((await begin(cwd)).startTree).toBeNull()
    expect(performance.now() - began).toBeLessThan(9000)
    await until('its processes to be gone', async () => !(await sh('ps -eo args')).includes('rev-parse'))
  })
})
