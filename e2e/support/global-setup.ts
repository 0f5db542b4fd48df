/** One server for all files; what one test makes has names of its own. */
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
