/** Validations of tasks over the API. */
import type { CodingSession, Validation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Client } from '../api.ts'
import { endedTask, startTask } from './follow.ts'

/** Longest time of a validation of these tests on a busy machine, in milliseconds. */
const VALIDATION_MS = 180_000
const pathOf = (id: string): string => `/coding-agents/sessions/${id}/validation`

export const validationOf = (client: Client, id: string): Promise<Validation> => client.ok('GET', pathOf(id))

/** The validation of a task when it has its verdict. */
export const verdictOf = async (client: Client, id: string): Promise<Validation> =>
  until(
    'the verdict',
    async () => {
      const validation = await validationOf(client, id)
      return validation.endedAt !== null && validation
    },
    VALIDATION_MS,
  )

/** Starts a validation of a task that has ended. */
export const startValidation = (client: Client, id: string, options: object = {}): Promise<Validation> =>
  client.ok('POST', pathOf(id), options)

/** Validates a task that has ended. */
export const validated = async (client: Client, id: string, options: object = {}): Promise<Validation> => {
  await startValidation(client, id, options)
  return verdictOf(client, id)
}

export const cancelValidation = (client: Client, id: string): Promise<Validation> => client.ok('DELETE', pathOf(id))

/** A task that has ended. */
export const taskDone = async (client: Client, body: object): Promise<CodingSession> =>
  endedTask(client, (await startTask(client, body)).id)

/** What a validation has run: each command with its exit code and its counts, now and at the start. */
export const ranIn = ({ checks }: Validation): string[] =>
  checks.map(({ argv, after, before }) =>
    [argv.join(' '), ...[after, before].flatMap((one) => (one ? [one.exitCode, countsOf(one.tests)] : []))].join(' '),
  )

const countsOf = (tests: { readonly passed: number; readonly total: number } | null): string =>
  tests === null ? '-' : `${tests.passed}/${tests.total}`
