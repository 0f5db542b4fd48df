/** If the owner revokes a share, everything ends that runs by it, with the programs that got something through it. */
import { CloseCode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { openBash } from '../../support/terminals/terminal.ts'
import { AGENT, CLOSED_WITHIN_MS, type Victims } from '../victims.ts'

const KEY = 'sk-ant-canary-0123456789abcdef'

export const testTakenShare = ({ team, as, stranger, share, printed }: Victims): void => {
  it('ends a live terminal that was given a credential, with every process that has it', async () => {
    await as(team().owner, `PUT /agents/${AGENT}/credentials/anthropic-api-key`, { value: KEY })
    const person = await stranger()
    await share(person)
    const terminal = await openBash(team(), AGENT, person.token)
    await terminal.run('(trap "" TERM; sleep 3666 &)')
    const holders = (): Promise<string> =>
      printed(`grep -lz '^ANTHROPIC_API_KEY=${KEY}$' /proc/[0-9]*/environ 2>/dev/null`)
    expect((await holders()).split('\n').length).toBeGreaterThan(1)

    const from = performance.now()
    const unshared = await as(team().owner, `DELETE /agents/${AGENT}/shares/${person.id}`)
    expect(unshared.statusCode).toBe(204)
    terminal.type('touch ~/after\r')
    expect((await terminal.closed).code).toBe(CloseCode.FORBIDDEN)
    expect(performance.now() - from).toBeLessThan(CLOSED_WITHIN_MS)
    expect(terminal.frames.at(-1)).toMatchObject({ type: 'error', reason: 'access_revoked' })
    await until('the key to be gone', async () => (await holders()) === '')
    expect(await printed('ls ~/after 2>&1')).toContain('No such file')
  })
}
