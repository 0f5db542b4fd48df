/** Git with the hooks and filters of repositories in a real container: what they do, and what hostile ones cannot do. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { fileId, FOUND } from '../../../../test/support/git/local.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { LIMIT } from '../../exec/execs.ts'
import { type ExecDeps, ExecService } from '../../exec/service.ts'
import { createUserPrograms } from '../../publish/remotes/user-programs.ts'
import { Programs } from '../../sessions/programs.ts'
import { GitRunner } from '../runner.ts'
import { HookedGit } from './hooked-git.ts'
import { SAID_BYTES } from './program.ts'
import { HookedWriter } from './writer.ts'

const { runtime } = useEngine()
let containerId = ''
beforeAll(async () => {
  containerId = (await runtime.launch(newSpec(IMAGE))).id
  await sh('git config --global user.name Tester; git config --global user.email t@example.org')
})

const SECRET = 'a-secret-of-the-tests-0815'
const agents = { snapshot: () => ({ runningId: containerId }) }
const runner = new GitRunner({
  agents: agents as never,
  runtime: { run: (...args) => runtime.run(...args) },
  newId: randomUUID,
})
const programs = createUserPrograms({
  execs: new ExecService({
    agents,
    runtime: { start: (...args: Parameters<typeof runtime.start>) => runtime.start(...args) },
    provisioner: { provide: () => Promise.resolve({ personal: false, environment: () => ({ env: {} }) }) },
    execs: new Programs(new Signal(() => undefined), LIMIT),
    records: { begin: () => Promise.resolve(), running: () => undefined, ended: () => undefined },
    newId: randomUUID,
    log: silentLog,
  } as unknown as ExecDeps),
  provisioner: { taskSecrets: () => Promise.resolve([SECRET]) },
})
const audit = { recordNow: () => Promise.resolve() }
const hooked = new HookedGit({ runner, programs })
const writer = new HookedWriter({ hooked, audit })
const hurried = new HookedWriter({ hooked: new HookedGit({ runner, programs, seconds: 1 }), audit })
const asked = {
  found: FOUND,
  locate: () => Promise.resolve({ ...FOUND, relation: 'owner' } as never),
  left: new AbortController().signal,
}

const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-ec', `cd; ${script}`]
  const { exitCode, stdout, stderr } = await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1e6 })
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stderr.toString()}`)
  return stdout.toString().trim()
}

let number = 0
/** A new repository with a commit of the file `a`, which has changed since, and these hooks. Answers its path. */
const repository = async (hooks: Readonly<Record<string, string>> = {}, more = ''): Promise<string> => {
  const name = `r${++number}`
  const write = Object.entries(hooks).map(
    ([hook, lines]) => `cat >.git/hooks/${hook} <<'HOOK'\n#!/bin/sh\n${lines}\nHOOK\nchmod +x .git/hooks/${hook}\n`,
  )
  await sh(`git init -qb main ${name}; cd ${name}; echo 1 >a; git add a; git commit -qm one; echo 2 >>a; git add a
${write.join('')}${more}`)
  return name
}
const failed = (...words: readonly string[]) => ({
  code: 'GIT_FAILED',
  message: expect.stringMatching(new RegExp(words.join('[^]*'))) as string,
})

it('a hook gets neither a terminal nor an input, and the end of what it prints is told', async () => {
  const repo = await repository({
    'pre-commit': `read -r line && exit 8; read -r line </dev/tty && exit 9
head -c 10485760 /dev/zero | tr "\\0" x; echo 'the <b>end</b> ${SECRET}'; exit 1`,
  })
  const told = await writer.commit(asked, { repository: repo, message: 'Two' }).catch((error: unknown) => error)
  expect(told).toMatchObject(failed('^Git, or a hook.*code 1.\nx+', 'the <b>end</b> \\*\\*\\*$'))
  expect((told as Error).message.length).toBeLessThan(SAID_BYTES + 200)
  expect(await sh(`git -C ${repo} log --format=%s`)).toBe('one')
  await sh(`cd ${repo}; echo 'echo formatted >>a; git add a' >.git/hooks/pre-commit`)
  const { commit } = await writer.commit(asked, { repository: repo, message: 'Two' })
  expect(await sh(`cd ${repo}; git log -1 --format=%H,%an,%s; git show HEAD:a`)).toBe(
    `${commit},Tester,Two\n1\n2\nformatted`,
  )
})

it('what hangs is ended, also if it ignores signals, and no lock is left', async () => {
  const stubborn = await repository({ 'pre-commit': "trap '' TERM HUP INT; echo waits; sleep 7531 & wait" })
  const hung = await repository(
    {},
    `git config filter.slow.clean 'sleep 7532'; echo 'a filter=slow' >.gitattributes; echo 3 >>a`,
  )
  const deadly = await repository(
    {},
    `printf '#!/bin/sh\\nkill -9 $PPID\\n' >.git/filter; chmod +x .git/filter; git config filter.deadly.clean "$PWD/.git/filter"
    echo 'a filter=deadly' >.gitattributes; echo 3 >>a`,
  )
  const told = await Promise.all(
    [
      hurried.commit(asked, { repository: stubborn, message: 'Two' }),
      hurried.stage(asked, { repository: hung, files: [fileId('a')] }),
      writer.stage(asked, { repository: deadly, files: [fileId('a')] }),
    ].map((act) => act.catch((error: unknown) => error)),
  )
  expect(told).toMatchObject([failed('longer than 1 second'), failed('longer than 1 second'), failed('killed')])
  expect(await sh('ls */.git/*.lock 2>/dev/null || true; ps -eo args | grep "[s]leep 7532$" || true')).toBe('')
  expect(await sh(`git -C ${stubborn} log --format=%s`)).toBe('one')
})
