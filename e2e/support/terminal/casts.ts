/** Reads the content of a recording's file. */
import type { Client } from '../api.ts'

export interface CastEvent {
  readonly code: string
  readonly data: string
}

export const castOf = async ({ baseUrl, token }: Client, id: string): Promise<string> =>
  (await fetch(`${baseUrl}/api/recordings/${id}/cast`, { headers: { authorization: `Bearer ${token}` } })).text()

/** The events without their times. */
export const eventsOf = (cast: string): CastEvent[] =>
  cast
    .split('\n')
    .filter((line) => line.startsWith('['))
    .map((line) => JSON.parse(line) as [number, string, string])
    .map(([, code, data]) => ({ code, data }))

/** The recorded output. */
export const outputOf = (cast: string): string =>
  eventsOf(cast).reduce((all, { code, data }) => (code === 'o' ? all + data : all), '')

export const marksOf = (cast: string): string[] =>
  eventsOf(cast)
    .filter(({ code }) => code === 'm')
    .map(({ data }) => data)
