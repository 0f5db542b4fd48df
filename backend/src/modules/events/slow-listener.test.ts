import { describe, expect, it } from 'vitest'
import { listen } from '../../../test/support/server/listener.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

/** More bytes than may wait for one listener. */
const TOO_MUCH = 2 * 2 ** 20

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)

describe('a listener that does not read', () => {
  it('is dropped before it costs much memory, and costs no other listener an event', async () => {
    const deaf = await listen(team(), team().owner.token)
    deaf.socket.pause()
    // The test injects the fault in the server: filling the system's own buffers takes most of a minute.
    const [itsEnd] = team().app.websocketServer.clients
    Object.defineProperty(itsEnd, 'bufferedAmount', { value: TOO_MUCH })
    const page = await listen(team(), team().owner.token)
    await owner('POST /agents?wait=true', newAgent('chatty'))
    await page.hears('the failure', () => page.about('chatty').includes('failed'))
    deaf.socket.resume()
    // Without a close frame: there is no room for one.
    expect(await deaf.closed).toBe(1006)
    page.socket.close()
  })
})
