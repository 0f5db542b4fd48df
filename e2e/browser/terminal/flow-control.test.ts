/** Output faster than a browser can show: the page stays usable, and Ctrl+C ends it. */
// In the short form `volume.test.ts` has a flood, which Ctrl+C ends.
import '@slipway/testing/long'
import { inTurn } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { FLOODS, frames, interrupt, longestTask, watchTasks } from '../../support/terminal/flood.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/** Frames that the page draws during a flood: a second's worth on an idle machine. */
const FRAMES = 60
/**
 * Limits that a frozen page would exceed, even on slow, busy machines, in milliseconds. `npm run bench -- flood` has
 * the targets, 1,000 and 200.
 */
const PROMPT_MS = 120_000
const TASK_MS = 5_000
/** 200 kB each: a byte that xterm.js has no rule for, and a letter inside a sequence. */
const RUBBISH = [`head -c 200000 /dev/zero | tr '\\0' '\\177'`, `yes $'\\033[é' | head -c 200000`]

useBrowser()
const its = useAgent({ runtime: 'bash' })

describe('a page that is flooded', () => {
  it('draws on and takes keys, and Ctrl+C brings the prompt back: lines, random lines, and a bar drawn 1,000 times a second', async () => {
    const screen = new Screen(await visit(its.owner, its.path, { webgl: true }))
    const { page } = screen
    await screen.shell()
    await screen.drawnBy('webgl')
    // In the short form the bar, which draws most. `npm run bench -- flood` has all of them.
    for (const [name, { line, shows }] of inTurn(Object.entries(FLOODS), 2)) {
      await screen.type(`${line}\n`)
      await screen.shows(shows)
      await watchTasks(page)
      await frames(page, FRAMES)
      expect(await interrupt(page), `Ctrl+C to the prompt under ${name}`).toBeLessThan(PROMPT_MS)
      expect(await longestTask(page), `longest task under ${name}`).toBeLessThan(TASK_MS)
      expect(await screen.run('echo calm $((40+2))')).toBe('calm 42')
    }
  })

  it('takes output that no terminal can parse as it takes text, and says nothing of it on the console', async () => {
    const screen = new Screen(await visit(its.owner, its.path))
    await screen.shell()
    for (const [turn, line] of RUBBISH.entries()) {
      await screen.type(`${line}; printf '\\033c'; echo calm $((40+${turn}))\n`)
      await screen.shows(`calm ${40 + turn}`)
    }
  })
})
