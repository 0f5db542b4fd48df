import { afterAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { TAKES_CONTAINER } from '../../../../test/support/engine/greedy.ts'
import { describeMemoryKills } from '../../../../test/conformance/conformance.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { openTerminal } from '../../../../test/conformance/terminal.ts'
import { KernelLog } from './kernel-log.ts'

describeMemoryKills('a memory kill where terminals are held', { runtime: useEngine().runtime, image: IMAGE })
describeMemoryKills('a memory kill where no holder keeps terminals', { runtime: useEngine({}).runtime, image: IMAGE })

/** A remote engine has another kernel. */
const log = process.env['DOCKER_HOST']?.startsWith('tcp:') ? null : KernelLog.open()

describe.runIf(log)('the kernel’s log, which stands in for an engine that does not tell,', () => {
  const { runtime } = useEngine()
  afterAll(() => log?.close())

  it('names the container that was killed', async () => {
    const { id: containerId } = await runtime.launch(newSpec(IMAGE, { memoryMb: 64 }))
    expect(log?.explains(containerId, Date.now())).toBe(false)
    const terminal = await openTerminal({ runtime, containerId }, TAKES_CONTAINER)
    await terminal.pty.exit
    expect(log?.explains(containerId, Date.now())).toBe(true)
  })
})
