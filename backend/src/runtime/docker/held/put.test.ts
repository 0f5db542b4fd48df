import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine.ts'
import { newSpec } from '../../conformance/subject.ts'
import { openTerminal } from '../../conformance/terminal.ts'
import { DockerRuntime } from '../runtime.ts'
import { BUILT_IN } from './binary.ts'

const { namespace, docker, runtime } = useEngine()

/** An image like the project's, but for what the script does to it as root. */
const changedImage = async (name: string, script: string): Promise<string> => {
  const container = await docker.createContainer({ Image: IMAGE, User: 'root', Cmd: ['sh', '-c', script] })
  try {
    await container.start()
    await container.wait()
    await container.commit({
      repo: `${namespace}-${name}`,
      tag: 'test',
      changes: ['CMD ["sleep","infinity"]', 'USER developer'].join('\n'),
    })
  } finally {
    await container.remove({ force: true })
  }
  return `${namespace}-${name}:test`
}

describe.each([
  ['has no holder', `rm ${BUILT_IN}`],
  ['has one of another architecture', `printf '\\177ELF\\002\\001\\001' >${BUILT_IN}`],
])('a container whose image %s', (_name, script) => {
  let image = ''
  let containerId = ''
  const spec = newSpec(IMAGE)
  beforeAll(async () => {
    await runtime.watch(() => undefined)
    image = await changedImage(spec.agentName, script)
    containerId = (await runtime.launch({ ...spec, image })).id
  })
  afterAll(async () => {
    await runtime.remove(containerId)
    await runtime.removeHome(spec)
    await docker.getImage(image).remove({ force: true })
  })

  it('is given one, which holds its terminals and is not listed with its processes', async () => {
    for (const word of ['first', 'second']) {
      const terminal = await openTerminal({ runtime, containerId }, ['sh', '-c', `echo ${word}; cat`])
      await terminal.waitFor(word)
      const processes = await runtime.processes(containerId)
      const leader = processes.find(({ pid }) => terminal.pty.leader.startsWith(`${pid}:`))
      // Docker's own exec would be no child of anything in the container.
      expect(leader?.ppid).toBeGreaterThan(0)
      expect(processes.some(({ pid }) => pid === leader?.ppid)).toBe(false)
      await terminal.pty.hangUp()
    }
    const { stdout } = await runtime.run(containerId, {
      argv: ['sh', '-c', 'ls /tmp/.slipway'],
      timeoutMs: 10_000,
      maxOutputBytes: 1000,
    })
    expect(stdout.toString()).toMatch(/^holder-[0-9a-f]{12}\n$/)
  })
})

describe('a container that no holder runs in', () => {
  it('has terminals of the engine’s own', async () => {
    const image = await changedImage('none', `rm ${BUILT_IN}`)
    const poor = new DockerRuntime(namespace, undefined, { holderImage: image })
    const spec = newSpec(image)
    await poor.watch(() => undefined)
    const { id } = await poor.launch(spec)
    const terminal = await openTerminal({ runtime: poor, containerId: id }, ['sh', '-c', 'echo hello; exit 3'])
    expect(await terminal.pty.exit).toEqual({ exitCode: 3, cause: 'exited' })
    expect(terminal.text).toBe('hello\r\n')
    await poor.remove(id)
    await poor.removeHome(spec)
    await poor.close()
    await docker.getImage(image).remove({ force: true })
  })
})
