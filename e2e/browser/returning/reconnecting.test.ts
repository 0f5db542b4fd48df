/** What a page does, and what its user can do, while the connection to its terminal is lost. */
import { until } from '@slipway/testing'
import { inLongForm, isLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { processesIn } from '../../support/engine.ts'
import { FaultProxy } from '../../support/network/fault-proxy.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { cuttable, type Network } from '../../support/network/cuttable.ts'
import { newContext, PATIENCE_MS, signInAt, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
/** Chromium's messages about a lost connection. */
const PROVOKED = [/ERR_|WebSocket connection to/]
/** Longer than the life of an access token, in the format of `page.clock`. */
const TOKEN_IS_OLD = '16:00'
/** Longer than the delay between two attempts. */
const NEXT_ATTEMPT = '01:00'
/** Longest time to detect silence, in milliseconds: a limit of 35 s, checked every 3 s, and the rest for busy cores. */
const SILENCE_IS_FOUND_MS = 45_000
/** How long a computer sleeps, in the format of `page.clock`. */
const NIGHT = '08:00:00'
/** An agent without a CLI, whose terminals start with a fraction of the CPU time. */
const shells = useAgent({ runtime: 'bash', keepSeconds: 300 })

/** A sleep shorter than the life of the access token. */
const NAP = '01:00'

// In the short form `terminal/edge-cases.test.ts` loses the network, `frontend/src/terminal/session/ends.test.ts` has what
// the page says of a program that ended, and `link.test.ts` the rest.
describe.each(inLongForm(['while the network is away']))('%s', () => {
  /** An agent with a CLI beside bash, which only the long form needs. */
  const its = isLongForm ? useAgent({ keepSeconds: 300 }) : shells
  let network: Network
  let screen: Screen

  /** A page with a shell that runs a program, after its connection was lost. */
  const lose = async (seconds: number, where = its): Promise<void> => {
    network = await cuttable()
    const context = await newContext({ proxy: { server: network.url }, provoked: PROVOKED })
    screen = new Screen(await context.newPage())
    await signInAt(screen.page, where.owner, where.path)
    await (where === shells ? screen.shell() : screen.bash())
    await screen.type(`mine=${seconds}; sleep ${seconds}\n`)
    await until('the program to run', () => sleeps(seconds, where), PATIENCE_MS)
    network.cut()
    await screen.is('reconnecting')
  }
  const sleeps = async (seconds: number, where = its): Promise<boolean> =>
    (await processesIn(where.container)).includes(`sleep ${seconds}`)
  const done = async (): Promise<void> => {
    await screen.page.context().close()
    await network.close()
  }

  // `useModeSwitch.test.ts`, “while the connection is lost the question is asked”.
  longIt('another program can be chosen: the running one is ended as soon as the connection is back', async () => {
    await lose(86_391)
    const { page } = screen
    const [cli, bash] = [page.getByTestId('terminal-mode-cli'), page.getByTestId('terminal-mode-bash')]
    await cli.click()
    await page.getByText('This ends Bash and its current work.').waitFor()
    await page.getByTestId('confirm-action').click()
    await page
      .getByTestId('terminal-reconnecting')
      .getByText('Then Claude Code replaces the running program.')
      .waitFor()
    expect(await cli.getAttribute('aria-checked')).toBe('true')
    expect(await bash.getAttribute('aria-checked')).toBe('false')
    network.mend()
    await screen.element.and(page.locator('[data-mode="cli"][data-state="connected"]')).waitFor()
    await until('what ran to have ended', async () => !(await sleeps(86_391)), PATIENCE_MS)
    expect(await cli.getAttribute('aria-checked')).toBe('true')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await done()
  })

  // `frontend/src/terminal/session/link.test.ts`, “Disconnect says that the session runs on”.
  longIt('Disconnect says that the program runs on, and how to end it', async () => {
    await lose(86_392)
    const { page } = screen
    await page.getByTestId('terminal-disconnect').click()
    await screen.error.getByText('Disconnected, but Bash is still running.').waitFor()
    expect(await sleeps(86_392)).toBe(true)
    // Choosing another mode does not end it either. The page reports the program that it finds.
    await page.getByTestId('terminal-mode-cli').click()
    network.mend()
    await screen.error.getByRole('button', { name: 'Connect' }).click()
    await screen.is('connected')
    await page.getByText('Bash is still running in this terminal').first().waitFor()
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await screen.error.waitFor({ state: 'detached' })
    await until('what ran to have ended', async () => !(await sleeps(86_392)), PATIENCE_MS)
    await done()
  })

  // `link.test.ts`, “a token that has expired is renewed once”; `terminal/edge-cases.test.ts` has one that is not
  // renewed.
  longIt('the sign-in may grow old: the page renews it by itself, and is in the same shell', async () => {
    await lose(86_393, shells)
    const { page } = screen
    await page.clock.install()
    await page.clock.fastForward(TOKEN_IS_OLD)
    const renewed = page.waitForResponse((answer) => answer.url().endsWith('/api/auth/refresh') && answer.ok())
    network.mend()
    await renewed
    await screen.is('connected')
    expect(new URL(page.url()).pathname).toBe(shells.path)
    await screen.hasKeys()
    await screen.press('Control+c')
    await screen.prompt()
    expect(await screen.run('echo $mine')).toBe('86393')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await done()
  })

  it('the shell may be killed: the page says how it ended, leaves it at that, and offers another one', async () => {
    await lose(86_394, shells)
    const { page } = screen
    await runIn(shells.agent.name, "kill -KILL $(ps -o ppid= -p $(pgrep -fx 'sleep 86394'))")
    await until('what ran to have ended with it', async () => !(await sleeps(86_394, shells)), PATIENCE_MS)
    network.mend()
    await screen.error.getByText('Bash ended (exit code 137).').waitFor()
    await screen.is('disconnected')
    await page.getByTestId('terminal-reconnecting').waitFor({ state: 'detached' })
    let attempts = 0
    // The page's event stream reconnects on its own schedule, so it does not count.
    page.on('websocket', (socket) => (attempts += socket.url().includes('/terminal') ? 1 : 0))
    await page.clock.install()
    await page.clock.fastForward(NEXT_ATTEMPT)
    await screen.is('disconnected')
    expect(attempts).toBe(0)
    await screen.error.getByRole('button', { name: 'Connect' }).click()
    await screen.is('connected')
    await screen.prompt()
    await screen.hasKeys()
    expect(await screen.run('echo "[$mine]"')).toBe('[]')
    await done()
  })
})

describe('on a network that fails silently', () => {
  let network: Network
  let way: FaultProxy
  let screen: Screen

  /** A page with a shell, on a network that the test can make bad. */
  const open = async (): Promise<void> => {
    network = await cuttable()
    // The bad network is between the browser and the proxy, so that the page keeps its origin.
    way = await FaultProxy.before(network.url)
    const proxy = { server: way.url }
    screen = new Screen(await visit(shells.owner, shells.path, { proxy, provoked: PROVOKED }))
    await screen.shell()
    await screen.run('mine=kept')
  }
  const done = async (): Promise<void> => {
    expect(await screen.run('echo $mine')).toBe('kept')
    await screen.page.context().close()
    await way.close()
    await network.close()
  }

  // `frontend/src/terminal/session/linkSilence.test.ts` finds out, and the next test with the socket of events.
  longIt(
    'the page finds out by itself, and is in the same shell as soon as it carries again',
    { timeout: 240_000 },
    async () => {
      await open()
      await screen.type('echo wait"ing"; until [ -e go ]; do sleep 0.1; done; echo mean"while"\n')
      await screen.shows('waiting')
      way.become({ isStalled: true })
      await shells.owner.upload(shells.agent.name, 'go', '')
      await screen.element
        .and(screen.page.locator('[data-state="reconnecting"]'))
        .waitFor({ timeout: SILENCE_IS_FOUND_MS })
      expect(await screen.text()).not.toContain('meanwhile')
      way.become()
      await screen.is('connected')
      await screen.shows('meanwhile')
      await screen.hasKeys()
      await done()
    },
  )

  it('a list shows after sleep what happened meanwhile, although its socket was never closed', async () => {
    network = await cuttable()
    way = await FaultProxy.before(network.url)
    const page = await visit(shells.owner, '/', { proxy: { server: way.url }, provoked: PROVOKED })
    const row = page.getByTestId(`agent-row-${shells.agent.name}`)
    await row.getByText('Running', { exact: true }).waitFor()
    await page.clock.install()
    way.become({ isStalled: true })
    await shells.owner.ok('POST', `/agents/${shells.agent.name}/stop`)
    const lostAt = performance.now()
    await page.clock.fastForward(NAP)
    await page.getByText('Not connected to the server').waitFor()
    expect(performance.now() - lostAt).toBeLessThan(SILENCE_IS_FOUND_MS / 3)
    // Bytes in flight are lost with the old network.
    way.drop()
    way.become()
    await row.getByText('Stopped', { exact: true }).waitFor()
    await shells.owner.ok('POST', `/agents/${shells.agent.name}/start?wait=true`)
    await row.getByText('Running', { exact: true }).waitFor()
    await page.context().close()
    await way.close()
    await network.close()
  })

  // `frontend/src/terminal/session/linkSilence.test.ts`, “after sleep”; the test before sleeps with the socket of
  // events.
  longIt('the page finds out at once after sleep, and types nothing again that went into it', async () => {
    await open()
    await screen.page.clock.install()
    way.become({ isStalled: true })
    await screen.type('n=$((n+1))\n')
    const lostAt = performance.now()
    await screen.page.clock.fastForward(NIGHT)
    await screen.is('reconnecting')
    expect(performance.now() - lostAt).toBeLessThan(SILENCE_IS_FOUND_MS / 3)
    // Bytes in flight are lost with the network.
    way.drop()
    way.become()
    await screen.is('connected')
    await screen.hasKeys()
    expect(await screen.run('echo "[$n]"')).toBe('[]')
    await done()
  })

  // `linkSilence.test.ts`, “without a network the connection is doubted and kept, and with the next one replaced at
  // once”.
  longIt('the page says at once that there is none, and reconnects at once when there is one', async () => {
    await open()
    const { page } = screen
    way.become({ isStalled: true })
    await page.context().setOffline(true)
    await page.getByTestId('terminal-offline').getByText('No network.').waitFor()
    expect(await screen.status.textContent()).toBe('No network')
    await screen.is('connected')
    way.become()
    const replaced = page.waitForEvent('websocket', (socket) => socket.url().includes('/terminal'))
    await page.context().setOffline(false)
    await replaced
    await page.getByTestId('terminal-offline').waitFor({ state: 'detached' })
    await screen.is('connected')
    await screen.hasKeys()
    await done()
  })
})

describe('a page that the browser has kept', () => {
  it('is in the same shell when its user goes back to it', async () => {
    const screen = new Screen(await visit(shells.owner, shells.path))
    const { page } = screen
    await screen.shell()
    await screen.run('mine=kept')
    const replaced = page.waitForEvent('websocket', (socket) => socket.url().includes('/terminal'))
    await page.evaluate(() => {
      for (const event of ['pagehide', 'pageshow'])
        window.dispatchEvent(new PageTransitionEvent(event, { persisted: true }))
    })
    await replaced
    await screen.is('connected')
    await screen.hasKeys()
    expect(await screen.run('echo $mine')).toBe('kept')
  })
})
