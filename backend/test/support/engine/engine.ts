/** The real container engine, with a namespace for one test file. The namespace is removed after the tests. */
import { randomBytes } from 'node:crypto'
import { removeNamespace } from '@slipway/testing'
import Docker from 'dockerode'
import { afterAll } from 'vitest'
import { DockerRuntime, type RuntimeSettings } from '../../../src/runtime/docker/runtime.ts'

/** The image of the tests' agents. `npm test` builds it and sets the variable. */
export const IMAGE = process.env['SLIPWAY_TEST_IMAGE'] ?? 'slipway-developer:latest'
/** The name of an image that never exists. */
export const MISSING_IMAGE = 'slipway-test-missing:never'

/** What a test file needs of the engine. */
export interface TestEngine {
  readonly namespace: string
  /** The engine's client, for looking at the engine without the runtime, and for interfering with it. */
  readonly docker: Docker
  readonly runtime: DockerRuntime
}

/** A prefix that no other test file has, below the prefix of this run. */
export const newNamespace = (): string =>
  `${process.env['SLIPWAY_TEST_NAMESPACE'] ?? 'slipway-test'}-${randomBytes(3).toString('hex')}`

/**
 * Call it at the top of a test file, before other helpers that clean up: hooks run in the reverse order of their
 * registration.
 */
export function useEngine(settings: RuntimeSettings = { holderImage: IMAGE }): TestEngine {
  const namespace = newNamespace()
  const docker = new Docker()
  const runtime = new DockerRuntime(namespace, undefined, settings)
  afterAll(async () => {
    await runtime.close()
    await removeNamespace(docker, namespace)
  })
  return { namespace, docker, runtime }
}
