import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { engineTime, until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { imageLikeOurs } from '../../../../test/support/engine/changed-image.ts'
import { leftRunning } from '../../../modules/sessions/processes/processes.ts'
import { attachPiped, startPiped } from '../../../../test/conformance/piped.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { openTerminal, Terminal } from '../../../../test/conformance/terminal.ts'
import { FROM_THE_START } from '../../program.ts'
import { DockerRuntime } from '../runtime.ts'
import { BUILT_IN, FOLDER } from './binary.ts'

const { namespace, docker, runtime } = useEngine()
beforeAll(() => runtime.watch(() => undefined))

/** A header of another architecture, as far as the kernel checks it. */
const FOREIGN = `printf '\\177ELF\\002\\001\\001' >${BUILT_IN}`

const changedImage = (name: string, script: string): Promise<string> =>
  imageLikeOurs({ docker, namespace }, name, script)

/** Lists the folder of copied binaries and sessions. */
const inFolder = async (where: DockerRuntime, containerId: string): Promise<string> => {
  const options = { argv: ['sh', '-c', `ls ${FOLDER}`], timeoutMs: 60_000, maxOutputBytes: 1000 }
  return (await where.run(containerId, options)).stdout.toString()
}

// In the short form of this architecture alone.
describe.each<[string, string]>([
  ['has no holder', `rm ${BUILT_IN}`],
  ...inLongForm<[string, string]>([['has one of another architecture', FOREIGN]]),
])('a container whose image %s', (_name, script) => {
  let image = ''
  let containerId = ''
  const spec = newSpec(IMAGE)
  beforeAll(async () => {
    image = await changedImage(spec.agentName, script)
    containerId = (await runtime.launch({ ...spec, image })).id
  })
  afterAll(async () => {
    await runtime.remove(containerId)
    await runtime.removeHome(spec)
    await docker.getImage(image).remove({ force: true })
  })

  it('is given one, which holds its terminals and is known as the parent of their first processes', async () => {
    for (const word of ['first', 'second']) {
      const terminal = await openTerminal({ runtime, containerId }, ['sh', '-c', `echo ${word}; cat`])
      await terminal.waitFor(word)
      const processes = await runtime.processes(containerId)
      const leader = processes.find(({ pid }) => terminal.pty.leader.startsWith(`${pid}:`))
      // The parent of a Docker exec is outside the container.
      expect(leader?.ppid).toBeGreaterThan(0)
      expect(processes.find(({ pid }) => pid === leader?.ppid)?.command).toContain(FOLDER)
      expect(leftRunning(processes, [{ sessionId: terminal.session, leader: terminal.pty.leader }])).toEqual([])
      await terminal.pty.hangUp()
    }
    expect(await inFolder(runtime, containerId)).toMatch(/^holder-[0-9a-f]{12}\n$/)
  })
})

/** The actions of the container's events while `work` runs. */
const actionsDuring = async (containerId: string, work: () => Promise<unknown>): Promise<string[]> => {
  const events = (await docker.getEvents({ filters: { container: [containerId] }, since: engineTime() })) as Readable
  const actions: string[] = []
  createInterface({ input: events }).on('line', (line) => actions.push((JSON.parse(line) as { Action: string }).Action))
  const container = docker.getContainer(containerId)
  await work()
  // Events come in order.
  await container.exec({ Cmd: ['true', 'the last one'] })
  const isLast = (action: string): boolean => action.includes('the last one')
  await until('the last event', () => actions.some(isLast))
  const told = actions.slice(0, actions.findIndex(isLast))
  // A control: the archive API would have caused an event.
  const seen = actions.length
  await container.getArchive({ path: '/etc/hostname' })
  await until('the event of the control', () => actions.includes('archive-path', seen))
  events.destroy()
  return told
}

describe('the holder', () => {
  it('is put through an exec, and never through the archive API, as the engine’s events show', async () => {
    const spec = newSpec(IMAGE)
    const image = await changedImage(spec.agentName, `rm ${BUILT_IN}`)
    const { id } = await runtime.launch({ ...spec, image })
    const actions = await actionsDuring(id, async () => {
      const terminal = await openTerminal({ runtime, containerId: id }, ['true'])
      await terminal.pty.exit
      expect(terminal.pty.survives).toBe(true)
    })
    expect(actions.filter((action) => action.startsWith('exec_create')).length).toBeGreaterThan(0)
    expect(actions.filter((action) => /archive|extract|copy/.test(action))).toEqual([])
    await runtime.remove(id)
    await runtime.removeHome(spec)
    await docker.getImage(image).remove({ force: true })
  })
})

describe('a container that no holder runs in', () => {
  it.each<[string, string, RegExp]>([
    ['since there is none', `rm ${BUILT_IN}`, /^$/],
    ...inLongForm<[string, string, RegExp]>([
      ['since what it is given is of another architecture, as what its image has', FOREIGN, /^holder-[0-9a-f]{12}\n$/],
    ]),
  ])('has terminals of the engine’s own, %s', async (_name, script, put) => {
    const spec = newSpec(IMAGE)
    const image = await changedImage(spec.agentName, script)
    const poor = new DockerRuntime(namespace, undefined, { holderImage: image })
    await poor.watch(() => undefined)
    const { id } = await poor.launch({ ...spec, image })
    // The second time the backend knows that the image's binary does not run.
    for (const word of ['first', 'second']) {
      const terminal = await openTerminal({ runtime: poor, containerId: id }, ['sh', '-c', `echo ${word}; exit 3`])
      expect(await terminal.pty.exit).toEqual({ exitCode: 3, cause: 'exited' })
      expect(terminal.text).toBe(`${word}\r\n`)
      expect(terminal.pty.survives).toBe(false)
    }
    expect(await poor.held(id)).toEqual([])
    expect(await inFolder(poor, id)).toMatch(put)
    await poor.remove(id)
    await poor.removeHome(spec)
    await poor.close()
    await docker.getImage(image).remove({ force: true })
  })
})

describe('a holder that is not root’s alone', () => {
  it.each<[string, string]>([
    ['its folder is the agent’s', 'chown developer /usr/local/lib/slipway'],
    ...inLongForm<[string, string]>([
      ['it is the agent’s', `chown developer ${BUILT_IN}`],
      ['every user may write it', `chmod 777 ${BUILT_IN}`],
      ['it is a link', `mv ${BUILT_IN} /home/developer/holder && ln -s /home/developer/holder ${BUILT_IN}`],
    ]),
  ])('is listed, since the file may be any program: %s', async (_what, script) => {
    const spec = newSpec(IMAGE)
    const image = await changedImage(spec.agentName, script)
    const { id } = await runtime.launch({ ...spec, image })
    const terminal = await openTerminal({ runtime, containerId: id }, ['cat'])
    const processes = await runtime.processes(id)
    const leader = processes.find(({ pid }) => terminal.pty.leader.startsWith(`${pid}:`))
    expect(processes.map(({ pid }) => pid)).toContain(leader?.ppid)
    await terminal.pty.hangUp()
    await runtime.remove(id)
    await runtime.removeHome(spec)
    await docker.getImage(image).remove({ force: true })
  })
})

/** Behaves like a holder of version 1: it knows terminals and one offset, but no other programs. */
const OF_VERSION_1 = `mv ${BUILT_IN} ${BUILT_IN}-now && cat >${BUILT_IN} <<'END' && chmod 755 ${BUILT_IN}
#!/bin/sh
case "$1 $#" in serve* | 'attach 4' | list*) exec ${BUILT_IN}-now "$@" ;; esac
exit 2
END`

describe('a container whose image has an older holder', () => {
  it('goes on with its terminals, and is given one for programs on pipes; both are listed and attached to', async () => {
    const spec = newSpec(IMAGE)
    const image = await changedImage(spec.agentName, OF_VERSION_1)
    const { id: containerId } = await runtime.launch({ ...spec, image })
    const where = { runtime, containerId }
    const script = 'echo out; echo err >&2; exec cat'
    const terminal = await openTerminal(where, ['sh', '-c', script], { keepSeconds: 600 })
    await terminal.waitFor('err')
    expect([terminal.pty.survives, await inFolder(runtime, containerId)]).toEqual([true, `${terminal.session}\n`])
    for (const word of ['first', 'second']) {
      const piped = await startPiped(where, ['sh', '-c', script], { keepSeconds: 600, stdin: 'open' })
      piped.program.write(Buffer.from(word))
      await piped.says(word)
      expect(await inFolder(runtime, containerId)).toMatch(/^holder-[0-9a-f]{12}$/m)
      expect((await runtime.held(containerId)).toSorted()).toEqual([terminal.session, piped.session].toSorted())
      piped.program.release()
      // From the first byte of standard error on, the backend asks as for version 1.
      for (const from of [FROM_THE_START, { stdout: 4, stderr: 2 }]) {
        const next = await attachPiped(where, piped.session, from)
        expect(next.attached).toMatchObject({ from, to: { stdout: 4 + word.length, stderr: 4 } })
        next.program.release()
      }
      await (await attachPiped(where, piped.session, FROM_THE_START)).program.hangUp()
    }
    terminal.pty.release()
    const attached = (await runtime.attach(containerId, terminal.session, FROM_THE_START))!
    expect([attached.program.leader, attached.size]).toEqual([terminal.pty.leader, { cols: 80, rows: 24 }])
    const again = new Terminal(attached.program, terminal.session)
    again.type('typed\r')
    await again.waitFor('typed')
    await again.pty.hangUp()
    expect(await runtime.held(containerId)).toEqual([])
    await runtime.remove(containerId)
    await runtime.removeHome(spec)
    await docker.getImage(image).remove({ force: true })
  })
})
