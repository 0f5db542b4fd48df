import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineProxy } from '@slipway/testing/engine-proxy'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { newSpec } from '../../../test/conformance/subject.ts'
import { openTerminal, terminalSpec } from '../../../test/conformance/terminal.ts'
import type { RuntimeError } from '../errors.ts'
import type { RuntimeEvent } from '../port.ts'
import { DockerRuntime } from './runtime.ts'

const { namespace, runtime: direct } = useEngine()
const proxy = new EngineProxy()
const runtime = new DockerRuntime(namespace, { socketPath: proxy.path })
const events: RuntimeEvent[] = []
const told = (type: RuntimeEvent['type']): number => events.filter((event) => event.type === type).length
/** The error code with which a call fails. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: unknown) => (error as RuntimeError).code,
  )
const spec = newSpec(IMAGE)
let containerId = ''

beforeAll(async () => {
  containerId = (await direct.launch(spec)).id
  // The engine is away at first.
  await runtime.watch((event) => events.push(event))
})
afterAll(async () => {
  await runtime.close()
  await proxy.remove()
})

describe('an engine that goes away', () => {
  it('is no hindrance to a start, and is found when it comes', async () => {
    expect(runtime.available).toBe(false)
    await expect(runtime.list()).rejects.toMatchObject({ name: 'RuntimeError', code: 'engine_unavailable' })
    await proxy.open()
    await until('the connection', () => runtime.available)
    expect(events).toEqual([{ type: 'connected' }])
    expect(await runtime.list()).toMatchObject([{ id: containerId, running: true }])
  })

  it('is told of at once, fails every call with a typed error, and is found again by itself', async () => {
    const terminal = await openTerminal({ runtime, containerId }, ['sleep', '1000'])
    await proxy.cut()
    await until('the loss', () => told('disconnected') === 1)
    expect(runtime.available).toBe(false)
    expect(await terminal.pty.exit).toEqual({ exitCode: null, cause: 'engine_unavailable' })
    const options = { argv: ['true'], timeoutMs: 60_000, maxOutputBytes: 0 }
    const calls = [
      runtime.list(),
      runtime.find(spec),
      runtime.launch(spec),
      runtime.stop(containerId, 1),
      runtime.remove(containerId),
      runtime.removeHome(spec),
      runtime.run(containerId, options),
      runtime.start(containerId, terminalSpec('s', ['true'])),
      runtime.hangUp(containerId, terminal.pty.leader),
      runtime.processes(containerId),
      runtime.endProcess(containerId, 2),
      runtime.logs(containerId, 10),
      runtime.usage(containerId),
    ]
    const failures = await Promise.all(calls.map(codeOf))
    expect(new Set(failures)).toEqual(new Set(['engine_unavailable']))

    await proxy.open()
    await until('the connection', () => told('connected') === 2)
    // Once the engine is back, the program's remaining processes can be ended.
    await runtime.hangUp(containerId, terminal.pty.leader)
    expect((await runtime.processes(containerId)).filter(({ command }) => command === 'sleep 1000')).toEqual([])
  })

  it('is taken for gone in the middle of a program, too', async () => {
    const running = runtime.run(containerId, { argv: ['sleep', '1002'], timeoutMs: 60_000, maxOutputBytes: 0 })
    const failure = codeOf(running)
    await until('the program', async () =>
      (await direct.processes(containerId)).some(({ command }) => command === 'sleep 1002'),
    )
    await proxy.cut()
    expect(await failure).toBe('engine_unavailable')
    await proxy.open()
    await until('the connection', () => told('connected') === 3)
  })

  it('tells how a terminal ended while its events were not heard', async () => {
    const terminal = await openTerminal({ runtime, containerId }, ['bash', '-c', 'sleep 1001 & read go; exit 5'])
    proxy.cutEvents()
    await until('the loss', () => told('disconnected') === 3)
    terminal.type('\r')
    expect(await terminal.pty.exit).toEqual({ exitCode: 5, cause: 'exited' })
    await terminal.pty.hangUp()
  })

  it('is told what happened between the engine’s answer and its first look at events', async () => {
    await until('the connection', () => runtime.available)
    const before = told('connected')
    proxy.answerEventsEarly()
    proxy.cutEvents()
    await until('the next connection', () => told('connected') > before)
    await direct.stop(containerId, 0)
    proxy.passOnEvents()
    await until('the end of the container', () => told('died') > 0)
  })
})
