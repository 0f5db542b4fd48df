/** What the conformance tests share: a runtime that is followed, and one container that most of them use. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { ContainerRuntime, ContainerSpec, RuntimeEvent, RunResult } from '../../src/runtime/port.ts'

/** What an implementation's test file brings. */
export interface Setting {
  readonly runtime: ContainerRuntime
  /** With bash, python3 and the usual small programs. */
  readonly image: string
}

export interface Subject extends Setting {
  /** Everything that the runtime reported. */
  readonly events: RuntimeEvent[]
  /** What the shared container was made by, and itself. */
  readonly spec: ContainerSpec
  readonly containerId: string
  /** Runs `sh -c` in it. */
  sh(script: string): Promise<RunResult>
}

/** A specification of a container that no other test has. */
export const newSpec = (image: string, change: Partial<ContainerSpec> = {}): ContainerSpec => {
  const agentId = randomUUID()
  return {
    agentId,
    agentName: `a-${agentId.slice(0, 8)}`,
    ownerId: null,
    isSystem: false,
    image,
    cpus: 1,
    memoryMb: 512,
    ...change,
  }
}

/** Inside of tests the subject is complete. */
export const useSubject = (setting: Setting, change: Partial<ContainerSpec> = {}): Subject => {
  const { runtime, image } = setting
  const events: RuntimeEvent[] = []
  const spec = newSpec(image, change)
  let containerId = ''
  beforeAll(async () => {
    await runtime.watch((event) => events.push(event))
    containerId = (await runtime.launch(spec)).id
  })
  afterAll(async () => {
    await runtime.remove(containerId)
    await runtime.removeHome(spec)
  })
  return {
    ...setting,
    events,
    spec,
    get containerId() {
      return containerId
    },
    sh: (script) =>
      runtime.run(containerId, { argv: ['sh', '-c', script], timeoutMs: 10_000, maxOutputBytes: 100_000 }),
  }
}
