import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@slipway/testing'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { scriptArgv } from '../scripts.ts'
import { streamInContainer } from './stream.ts'

const { docker, runtime } = useEngine()
const spec = newSpec(IMAGE, { uid: 50_123 })
const TEXT = `{"a": "größer $HOME \\\\ ${'x'.repeat(100_000)}"}`
let containerId = ''

beforeAll(async () => {
  await runtime.watch(() => undefined)
  containerId = (await runtime.launch(spec)).id
})

afterAll(async () => {
  await runtime.remove(containerId)
  await runtime.removeHome(spec)
})

const sh = async (script: string): Promise<string> => {
  const options = { argv: ['sh', '-c', script], timeoutMs: 60_000, maxOutputBytes: 200_000 }
  return (await runtime.run(containerId, options)).stdout.toString()
}
const gone = (path: string): Promise<true> =>
  until('the file to be gone', async () => (await sh(`ls ${path} 2>/dev/null`)) === '')

describe('a file of root’s', () => {
  it('can be read by the agent’s user, who can neither write, nor remove, nor replace it', async () => {
    const { path, remove } = await runtime.putRootFile(containerId, TEXT)
    expect(await sh(`cat ${path}`)).toBe(TEXT)
    expect(await sh(`stat -c '%u %g %a' ${path}`)).toBe('0 1000 640\n')
    expect(await sh(`{ echo x >${path} || rm -f ${path} || mv /dev/null ${path}; } 2>/dev/null && echo done`)).toBe('')
    remove()
    await gone(path)
    remove()
  })

  it('goes when the server that keeps it is gone', async () => {
    const path = '/dev/slipway-of-a-lost-server'
    const options = { User: '0:1000', WorkingDir: '/' }
    const stream = await streamInContainer(docker, containerId, scriptArgv('root-file', path, '1'), options)
    stream.output.resume()
    stream.input.write('text\n')
    await until('the file to be there', async () => (await sh(`cat ${path} 2>/dev/null`)) === 'text')
    stream.close()
    await gone(path)
  })

  it('goes when the container stops, and is never a part of it', async () => {
    const { path } = await runtime.putRootFile(containerId, TEXT)
    expect(await sh(`df --output=fstype ${path} | tail -n 1`)).toBe('tmpfs\n')
    await runtime.stop(containerId, 0)
    containerId = (await runtime.launch(spec)).id
    expect(await sh('ls /dev | grep slipway')).toBe('')
  })

  it('is written by a program without capabilities, which no program of the agent can end', async () => {
    const { path, remove } = await runtime.putRootFile(containerId, TEXT)
    const process = (await runtime.processes(containerId)).find(({ command }) => command.includes(path))
    const status = await sh(`cat /proc/${process?.pid}/status; kill -9 ${process?.pid} || echo refused`)
    expect(status).toMatch(/^Uid:\t0\t0/m)
    expect(status).toMatch(/^CapEff:\t0{16}$/m)
    expect(status).toMatch(/^CapBnd:\t0{16}$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/refused\n$/)
    expect(await sh(`cat ${path}`)).toBe(TEXT)
    remove()
    await gone(path)
  })

  it('fails where the container has no place for it', async () => {
    await expect(runtime.putRootFile('no-such-container', TEXT)).rejects.toMatchObject({ code: 'not_found' })
  })
})
