/** Ctrl+Z does no harm in a coding CLI. No shell holds the CLI as a job, so it continues by itself. */
// In the short form `backend/test/conformance/pty-stops.ts` has a program that suspends itself.
import '@slipway/testing/long'
import type { Agent } from '@slipway/protocol'
import { inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

useBrowser()
let owner: Client

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})

/** Each CLI with the text that it shows when it is ready. */
const CLIS = [
  ['claude-code', /bypass permissions on/],
  // That a program goes on which suspends itself: `backend/test/conformance/pty-stops.ts`.
  ...inLongForm([
    ['copilot', /Copilot v/],
    ['opencode', /ctrl\+p commands/],
  ] as const),
] as const

describe.each(CLIS)('at %s', (runtime, ready) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await owner.agent({ runtime })
  })
  afterAll(() => owner.ok('DELETE', `/agents/${agent.name}`))

  it('Ctrl+Z leaves its prompt as usable as before', async () => {
    const screen = new Screen(await visit(owner, `/agents/${agent.name}`))
    await screen.is('connected')
    await screen.shows(ready)
    await screen.hasKeys()
    for (const letter of ['x', 'z']) {
      await screen.press('Control+z')
      // Some CLIs lose keys that arrive while they suspend and continue.
      const isTyped = async (): Promise<boolean> => {
        await screen.type(letter)
        // While the CLI is suspended, its terminal echoes keys without a sign before them.
        return new RegExp(`[❯┃].*${letter}{3}`).test(await screen.text())
      }
      await expect.poll(isTyped).toBe(true)
    }
    // The greeting may still be shown.
    expect(await screen.status.textContent()).toMatch(/^Connected!?$/)
  })
})
