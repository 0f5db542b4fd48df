/** Conformance: a terminal can be ended although its processes have multiplied up to the limit. */
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { newSpec, type Subject } from './subject.ts'
import { openTerminal, processesOf } from './terminal.ts'

/** `how`: with a bomb, or with programs that stay, which take a fraction of its CPU time. */
export const testForkBomb = ({ runtime, image }: Subject, how: 'both' | 'bomb' | 'stays' = 'both'): void => {
  const endsWithItsTerminal = async (bash: string): Promise<void> => {
    const spec = newSpec(image, { memoryMb: 1024 })
    const where = { runtime, containerId: (await runtime.launch(spec)).id }
    const terminal = await openTerminal(where, ['bash', '-c', bash])
    // Without room, the program fails, or cannot start another one.
    const hasRoom = async (): Promise<boolean> => {
      const options = { argv: ['sh', '-c', 'sleep 0 & wait'], timeoutMs: 10_000, maxOutputBytes: 1000 }
      const { exitCode, stderr } = await runtime.run(where.containerId, options)
      return exitCode === 0 && stderr.length === 0
    }
    await until('the container to be full', () =>
      hasRoom().then(
        (room) => !room,
        () => true,
      ),
    )
    await terminal.pty.hangUp()
    expect(await processesOf(where, terminal)).toEqual([])
    await runtime.remove(where.containerId)
    await runtime.removeHome(spec)
  }

  describe('a container without room for another process', () => {
    if (how !== 'stays')
      it('is rid of a fork bomb with its terminal', { timeout: 240_000 }, () =>
        endsWithItsTerminal('bomb() { bomb | bomb & }; bomb; sleep 1000'),
      )
    if (how !== 'bomb')
      it('is rid of programs that stay, and leave no room for an exec', { timeout: 240_000 }, () =>
        endsWithItsTerminal('while :; do sleep 1000 & done'),
      )
  })
}
