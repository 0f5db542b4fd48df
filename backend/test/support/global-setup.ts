/** Gives every test file the database that most of them begin with. */
import type { TestProject } from 'vitest/node'
import { ensureEmptyDatabase } from './database/empty-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of a database in which nothing is but its tables. */
    emptyDatabase: string
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('emptyDatabase', await ensureEmptyDatabase())
}
