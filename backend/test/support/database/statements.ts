/** Counts statements to the database. */
import pg from 'pg'
import { vi } from 'vitest'
import { currentRequest } from '../../../src/lib/request-scope.ts'

/** The statements since the last call. What a socket sends belongs to no request. */
export interface Statements {
  ofRequests(): number
  /** With those of sockets, and of the server's own work, which only adds some. */
  all(): number
  restore(): void
}

export const countStatements = (): Statements => {
  const counts = { ofRequests: 0, all: 0 }
  const { query } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    counts.all += 1
    if (currentRequest() !== undefined) counts.ofRequests += 1
    return Reflect.apply(query, this, args) as never
  })
  const take = (which: keyof typeof counts): number => {
    const count = counts[which]
    Object.assign(counts, { ofRequests: 0, all: 0 })
    return count
  }
  return { ofRequests: () => take('ofRequests'), all: () => take('all'), restore: () => spy.mockRestore() }
}
