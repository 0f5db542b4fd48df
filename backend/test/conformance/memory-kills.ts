/** Conformance: a kill by the kernel for memory differs from a kill by a user. */
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { GREEDY, TAKES_CONTAINER } from '../support/engine/greedy.ts'
import { startPiped } from './piped.ts'
import { type Setting, useSubject } from './subject.ts'
import { openTerminal } from './terminal.ts'

/** The container's memory in MiB. So little is soon used up. */
const MEMORY_MB = 64

export const testMemoryKills = (setting: Setting): void => {
  const subject = useSubject(setting, { memoryMb: MEMORY_MB })
  const { runtime, spec, events } = subject
  const exitOf = async (argv: readonly string[]) => (await openTerminal(subject, argv)).pty.exit

  it('of a terminal’s program is the cause of its end', async () => {
    expect(await exitOf(GREEDY)).toEqual({ exitCode: 137, cause: 'out_of_memory' })
  })

  it('of a program on pipes is the cause of its end', async () => {
    const { program } = await startPiped(subject, GREEDY)
    expect(await program.exit).toMatchObject({ exitCode: 137, cause: 'out_of_memory' })
  })

  it('is not assumed for a program that a signal killed, although there were memory kills before', async () => {
    expect(await exitOf(['sh', '-c', 'kill -KILL $$'])).toEqual({ exitCode: 137, cause: 'exited' })
    expect(await runtime.find(spec)).toMatchObject({ running: true })
  })

  it('of the whole container is told by its terminals, by itself, and when it is looked at', async () => {
    const before = events.length
    expect(await exitOf(TAKES_CONTAINER)).toMatchObject({ cause: 'out_of_memory' })
    const told = () => events.slice(before).map(({ type }) => type)
    await until('its end and the reason', () => told().includes('died') && told().includes('oom'))
    expect(await runtime.find(spec)).toMatchObject({ running: false, exitCode: 137, oomKilled: true })
  })
}
