/** Enter with a modifier starts a new line in every CLI's prompt. Enter alone submits. */
import type { Agent } from '@slipway/protocol'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'

useBrowser()
let owner: Client

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})

const CLIS = [
  ['claude-code', /bypass permissions on/, '❯'],
  // `frontend/src/terminal/input/enterKeys.test.ts` has the keys, which are the same for all.
  ...inLongForm([
    ['codex', /OpenAI Codex/, '›'],
    ['gemini-cli', /Type your message/, '>'],
  ] as const),
] as const

describe.each(CLIS)('in the prompt of %s', (runtime, ready, sign) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await owner.agent({ runtime })
  })
  afterAll(() => owner.ok('DELETE', `/agents/${agent.name}`))

  it('Shift+Enter, Ctrl+Enter and Alt+Enter begin the next line', async () => {
    const screen = new Screen(await visit(owner, `/agents/${agent.name}`))
    await screen.is('connected')
    await screen.shows(ready)
    await screen.hasKeys()
    await screen.type('alpha')
    // A no-break space follows Claude's sign.
    await screen.shows(new RegExp(`${sign}\\salpha`))
    let shown = 'alpha'
    for (const [key, word] of [
      ['Shift+Enter', 'bravo'],
      ['Control+Enter', 'charlie'],
      ['Alt+Enter', 'delta'],
    ] as const) {
      await screen.press(key)
      await screen.type(word)
      shown += `[\\s│]*\\n[\\s│]*${word}`
      // One prompt with all the lines. After a submit the prompt would be empty.
      await screen.shows(new RegExp(`${sign}\\s${shown}[ │]*$`, 'm'))
    }
    expect(await screen.text()).not.toMatch(/Done|Unauthorized|Error/)
  })
})

// `enterKeys.test.ts` has a program that does not ask for these keys.
longIt('in bash Shift and Ctrl run the line, as Enter alone does, and Alt does nothing', async () => {
  const agent = await owner.agent({ runtime: 'bash', memoryMb: 512 })
  try {
    const screen = new Screen(await visit(owner, `/agents/${agent.name}`))
    await screen.is('connected')
    await screen.prompt()
    await screen.hasKeys()
    for (const key of ['Enter', 'Shift+Enter', 'Control+Enter']) {
      await screen.type(`echo ${key}-$((40+2))`)
      await screen.press(key)
      await screen.shows(`${key}-42`)
    }
    await screen.type('echo Alt-$((40')
    await screen.press('Alt+Enter')
    await screen.type('+2))')
    // The same line, not executed.
    await screen.shows(/\$ echo Alt-\$\(\(40\+2\)\)$/)
    await screen.press('Enter')
    await screen.shows(/^Alt-42$/m)
  } finally {
    await owner.ok('DELETE', `/agents/${agent.name}`)
  }
})
