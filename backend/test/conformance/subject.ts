/** What the conformance tests share: a runtime with its events, and a container that most of them use. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { ContainerRuntime, ContainerSpec, RuntimeEvent, RunResult } from '../../src/runtime/port.ts'

/** What the test file of an implementation provides. */
export interface Setting {
  readonly runtime: ContainerRuntime
  /** An image with bash, python3 and the usual small programs. */
  readonly image: string
}

export interface Subject extends Setting {
  /** All events that the runtime has reported. */
  readonly events: RuntimeEvent[]
  /** The specification of the shared container, and its id. */
  readonly spec: ContainerSpec
  readonly containerId: string
  /** Runs `sh -c` in the shared container. */
  sh(script: string): Promise<RunResult>
}

/** A specification with names that no other test uses. */
export const newSpec = (image: string, change: Partial<ContainerSpec> = {}): ContainerSpec => {
  const agentId = randomUUID()
  return {
    agentId,
    agentName: `a-${agentId.slice(0, 8)}`,
    ownerId: null,
    isSystem: false,
    uid: null,
    image,
    cpus: 1,
    memoryMb: 512,
    ...change,
  }
}

/** Makes the runtime and its container. Both exist only inside of tests. */
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
      runtime.run(containerId, { argv: ['sh', '-c', script], timeoutMs: 120_000, maxOutputBytes: 100_000 }),
  }
}
