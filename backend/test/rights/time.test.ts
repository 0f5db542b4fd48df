/**
 * The answer about a missing thing takes a stranger as long as the answer about a forbidden one. So the time does not
 * tell them apart.
 */
// In the short form queries.test.ts counts the queries of both answers, on every route.
import '@slipway/testing/long'
import { describe, beforeAll, expect, it } from 'vitest'
import { addressOf } from '../support/server/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { ask, talk } from './ask.ts'

/** Requests of each kind. With so many, the median on a busy machine varies by a few per cent. */
const SAMPLES = 250
const SOCKET_SAMPLES = 60
/**
 * Largest ratio of the two medians. An impossible name is refused without a query, which is no secret. Its time lies
 * outside of this ratio. So the measurement can see a single query.
 */
const ALIKE = 1.2

const team = useTeam({ runtime: new MemoryEngine().runtime })
let address: string

beforeAll(async () => {
  await systemAgentSettled(team())
  address = await addressOf(team())
  for (let i = 0; i < 20; i++) await as(team(), team().owner)('POST /agents?wait=true', newAgent(`there-${i}`))
})

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/**
 * The median time of each request, in milliseconds. The requests take turns in a changing order, so that a slow moment
 * affects all of them.
 */
const medians = async (samples: number, ...requests: readonly (() => Promise<unknown>)[]): Promise<number[]> => {
  const times = requests.map((): number[] => [])
  for (let round = -10; round < samples; round++)
    for (let turn = 0; turn < requests.length; turn++) {
      const which = (turn + Math.abs(round)) % requests.length
      const from = performance.now()
      await requests[which]?.()
      // The first rounds warm up.
      if (round >= 0) times[which]?.push(performance.now() - from)
    }
  return times.map(median)
}

const apart = (a = 0, b = 0): number => Math.max(a / b, b / a)

// A busy machine may shift a median once. A difference that a stranger could use is there in every try.
describe('a stranger cannot tell by the clock whether an agent is there', { retry: 2 }, () => {
  it('when they ask for it', async () => {
    const { token } = team().stranger
    const get = (name: string) => () => ask(address, { method: 'GET', path: `/api/agents/${name}`, token })
    const [forbidden, missing, noName] = await medians(SAMPLES, get('there-0'), get('gone-00'), get('NO-NAME'))
    expect(apart(forbidden, missing)).toBeLessThan(ALIKE)
    expect(apart(missing, noName), 'the measurement sees a query less').toBeGreaterThan(ALIKE)
  })

  it('when they open a terminal in it', async () => {
    const { token } = team().stranger
    const open = (name: string) => () => talk(address, `/api/agents/${name}/terminal?mode=bash`, token)
    const [forbidden, missing] = await medians(SOCKET_SAMPLES, open('there-0'), open('gone-00'))
    expect(apart(forbidden, missing)).toBeLessThan(ALIKE)
  })
})
