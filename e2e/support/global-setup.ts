/** Starts one server for all test files. Each test uses unique names. */
import type { TestProject } from 'vitest/node'
import { startServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string
    namespace: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startServer()
  project.provide('baseUrl', server.baseUrl)
  project.provide('namespace', server.namespace)
  return () => server.stop()
}
