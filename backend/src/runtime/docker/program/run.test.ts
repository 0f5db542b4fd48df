import { duplexPair } from 'node:stream'
import Docker from 'dockerode'
import { expect, it } from 'vitest'
import { runInContainer } from './run.ts'

const BUSY =
  'failed to start io pipe copy: unable to copy pipes: containerd-shim: opening w/o fifo "a-stdout" failed: context deadline exceeded\r\n'

/** What the engine does with an exec. `pid` 0: it has not started the program. */
interface Exec {
  readonly pid: number
  readonly exitCode: number
  readonly output: string
}

/** An engine that does this with one exec after the other. */
const engine = (...execs: Exec[]) => {
  let made = 0
  const docker = {
    modem: new Docker({ socketPath: '/dev/null' }).modem,
    getContainer: () => ({
      exec: () => {
        const { pid, exitCode, output } = execs[made]!
        made += 1
        return Promise.resolve({
          start: () => {
            const [ours, theirs] = duplexPair()
            const head = Buffer.alloc(8)
            head.writeUInt8(1)
            head.writeUInt32BE(Buffer.byteLength(output), 4)
            theirs.end(Buffer.concat([head, Buffer.from(output)]))
            return Promise.resolve(ours)
          },
          inspect: () => Promise.resolve({ Running: false, ExitCode: exitCode, Pid: pid }),
        })
      },
    }),
  } as unknown as Docker
  const run = (maxOutputBytes: number) =>
    runInContainer(docker, 'container', { argv: ['true'], timeoutMs: 10_000, maxOutputBytes })
  return { run, made: () => made }
}

it.each([0, 100])(
  'a program that a busy engine has not started is started again, with %i bytes of output',
  async (bytes) => {
    const { run, made } = engine({ pid: 0, exitCode: 126, output: BUSY }, { pid: 7, exitCode: 3, output: 'words' })
    const { exitCode, stdout } = await run(bytes)
    expect([exitCode, stdout.toString(), made()]).toEqual([3, 'words'.slice(0, bytes), 2])
  },
)

it('a program that has run is not run again, also if it prints what the engine would say', async () => {
  const { run, made } = engine({ pid: 7, exitCode: 126, output: BUSY })
  expect((await run(20)).stdout.toString()).toBe(BUSY.slice(0, 20))
  expect(made()).toBe(1)
})

it('a program that cannot be started is not tried again', async () => {
  const { run, made } = engine({
    pid: 0,
    exitCode: 127,
    output: 'exec: "no-such": stat no-such: no such file or directory',
  })
  expect((await run(0)).exitCode).toBe(127)
  expect(made()).toBe(1)
})
