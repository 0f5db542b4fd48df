/** Ctrl+Z at a coding CLI costs nothing: no shell has it as a job, so it goes on by itself. */
import type { Agent } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

useBrowser()
let owner: Client

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})

/** Each with what it shows when it is ready. */
const CLIS = [
  ['claude-code', /bypass permissions on/],
  ['copilot', /Copilot v/],
  ['opencode', /ctrl\+p commands/],
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
      // What is typed while it suspends itself and comes back is lost by some.
      const isTyped = async (): Promise<boolean> => {
        await screen.type(letter)
        // Where it is suspended its terminal echoes, without a sign before it.
        return new RegExp(`[❯┃].*${letter}{3}`).test(await screen.text())
      }
      await expect.poll(isTyped).toBe(true)
    }
    // It may still be greeted.
    expect(await screen.status.textContent()).toMatch(/^Connected!?$/)
  })
})
