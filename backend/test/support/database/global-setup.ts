/** Makes the database that most test files start with. */
import type { TestProject } from 'vitest/node'
import { ensureEmptyDatabase } from './empty-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a database file that has only the tables. */
    emptyDatabase: string
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('emptyDatabase', await ensureEmptyDatabase())
}
