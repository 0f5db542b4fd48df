/** Who lets the programs in an agent use the tools for tasks, and with which token. */
// In the short form `backend/src/modules/credentials/agent-tools/agent-tools.test.ts` has who chooses a token, and when
// it is in force.
import '@slipway/testing/long'
import type { AgentTools } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inTurn } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'

useBrowser()
let owner: Client
let admin: Client
let agent = ''

beforeAll(async () => {
  const first = await signInAdmin()
  ;[owner, admin] = await Promise.all([newUser(first), newUser(first, 'admin')])
  agent = (await owner.agent({ runtime: 'bash', memoryMb: 512 })).name
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const read = (client: Client, address: string): Promise<AgentTools> => client.ok<AgentTools>('GET', `${address}/tools`)

describe('the tools of an agent', () => {
  it('are off until the owner chooses a token, and again once it is taken away', async () => {
    const page = await visit(owner, `/agents/${agent}/settings`)
    const tools = page.getByTestId('tools')
    await tools.getByText('Create an API token').waitFor()
    const { id, name } = await owner.apiToken('tasks:read')
    await page.reload()
    const select = tools.getByTestId('tools-token')
    await select.click()
    await page.getByRole('option', { name: `${name} (reads only)` }).click()
    await until('the choice', async () => (await read(owner, `/agents/${agent}`)).token?.id === id)
    await owner.ok('POST', `/agents/${agent}/shares`, { email: admin.email })
    await page.reload()
    await tools.getByTestId('tools-not-in-force').waitFor()
    await select.click()
    await page.getByRole('option', { name: 'Off' }).click()
    await tools.getByTestId('tools-not-in-force').waitFor({ state: 'detached' })
    expect(await read(owner, `/agents/${agent}`)).toMatchObject({ token: null })
  })

  // In the short form at the width that has the least room.
  it.each(inTurn([390, 1440], 0))(
    'are the owner’s to choose, and those of the system agent an admin’s, at %i px',
    async (width) => {
      const theirs = await visit(admin, `/agents/${agent}/settings`, { viewport: { width, height: 900 } })
      await theirs.getByTestId('delete-agent').waitFor()
      expect(await theirs.getByTestId('tools').count()).toBe(0)
      const page = await visit(admin, '/system-agent/settings', { viewport: { width, height: 900 } })
      await page.getByTestId('tools-token').scrollIntoViewIfNeeded()
      const overflow = (element: Element): number => element.scrollWidth - element.clientWidth
      expect(await page.locator('body').evaluate(overflow)).toBe(0)
    },
  )
})
