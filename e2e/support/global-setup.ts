/** Starts one server for all test files. Each test uses unique names. */
import type { TestProject } from 'vitest/node'
import { newDatabase, startDatabaseServer } from './database.ts'
import { startServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string
    namespace: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const databases = await startDatabaseServer()
  const database = await newDatabase(databases)
  const server = await startServer({ env: { SLIPWAY_DATABASE_URL: database.url } })
  project.provide('databaseServer', { url: databases.url, template: databases.template })
  project.provide('baseUrl', server.baseUrl)
  project.provide('namespace', server.namespace)
  return async () => {
    await server.stop()
    await databases.remove()
  }
}
