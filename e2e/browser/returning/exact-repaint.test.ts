/** After a reconnect the page shows exactly what it would have shown without one, cell by cell. */
import type { Agent } from '@slipway/protocol'
import { inLongForm, isLongForm, longIt } from '@slipway/testing/forms'
import type { Terminal } from '@xterm/headless'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { differences, everything, settled } from '../../support/page/cells.ts'
import { readIn, runIn } from '../../support/agent/in-agent.ts'
import { cuttable } from '../../support/network/cuttable.ts'
import { type ContextOptions, goTo, newContext, reload, signInAt, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { ANYONE, looksLike, share } from '../../support/terminal/watching.ts'

useBrowser()
let owner: Client
const agents: Agent[] = []
const agentWith = async (runtime: 'claude-code' | 'gemini-cli' | 'bash'): Promise<string> => {
  const agent = await owner.agent({ runtime, keepSeconds: 300 })
  agents.push(agent)
  return agent.name
}

/** Lines that fill the scrollback. Each takes two rows. */
const LINES = isLongForm ? 20_000 : 6_000

/** Switches on every mode, and draws with all of them. */
const EVERY_MODE = String.raw`
seq 300
printf '\e]2;every mode\a\e[1;2;3;4;5;7;9mall looks\e[0m\e[4:3;58:2::9:8:7mcurly\e[0m\n'
printf '\e[38;5;200;48;2;1;2;3mcolours \e[44m to the end\e[K\e[0m\n'
printf '\e]8;;https://example.org\e\\a link\e]8;;\e\\ 漢字 e\u0301 👩‍💻\n%0150d\n' 0
printf '\e[31mred\e7\e[0m\e[?1h\e=\e[?2004h\e[?1003h\e[?1006h\e[?1004h\e[?25l\e[5 q'
printf '\e[?1049h\e[2J\e[3g\e[1;5H\eH\e[3;10r\e[?6h\e[2;4Hinside\e[42m\e[2X\e(0qqq\e(B\e[4h\e[?45h\e[2;2H\e[?7l'
sleep 1000`

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})
afterAll(() => Promise.all(agents.map(({ name }) => owner.ok('DELETE', `/agents/${name}`))))

describe('a reloaded page', () => {
  const inBash = async (options: ContextOptions = {}): Promise<Screen> => {
    const name = await agentWith('bash')
    const screen = new Screen(await visit(owner, `/agents/${name}`, options))
    await screen.shell()
    return screen
  }
  /** Reloads the page, and compares its screen with the earlier one. */
  const looksTheSame = async (screen: Screen): Promise<void> => {
    const before = await settled(screen.page)
    await reload(screen.page)
    await screen.is('connected')
    await expect.poll(async () => differences(before, await everything(screen.page))).toBe('')
  }

  it(`is the same in bash after ${LINES} lines, and goes on`, async () => {
    // What is compared are the cells, and canvas is cheaper.
    const screen = await inBash({ webgl: isLongForm })
    await screen.drawnBy(isLongForm ? 'webgl' : 'canvas')
    // Each line takes two rows of the window, and three of a narrow one.
    await screen.type(`for n in $(seq ${LINES}); do printf 'line %d \\e[3%dm%0180d\\e[0m\\n' $n $((n % 8)) $n; done\n`)
    await screen.shows(new RegExp(`line ${LINES} 0+${LINES}[^]*\\$ ?$`))
    const { normal } = await settled(screen.page)
    expect(normal.length).toBeGreaterThan(10_000)
    expect(normal.at(-2)).toMatch(new RegExp(`^>.*${LINES}`))
    let { cols } = await screen.size()
    // In the short form the narrow one.
    for (const width of [700, ...inLongForm([1200])]) {
      await screen.page.setViewportSize({ width, height: 700 })
      await expect.poll(async () => (await screen.size()).cols).not.toBe(cols)
      cols = (await screen.agreesOnSize()).cols
      await screen.prompt()
      await looksTheSame(screen)
      await screen.hasKeys()
    }
    expect(await screen.run('echo $((40+2))')).toBe('42')
  })

  // The next test has the modes that these programs use, and `emulator/src/headless/repaint.test.ts` many screens.
  longIt('is the same in vi, less and htop, and so is what is below them', async () => {
    const screen = await inBash()
    await screen.type("seq -f 'row %g of many' 500 | tee rows; ls --color -la /etc | head -40; vi rows\n")
    await screen.shows(/"rows" 500/)
    await screen.type('40j5l')
    await expect.poll(async () => (await everything(screen.page)).cursor[0]).toBe(5)
    await looksTheSame(screen)
    await screen.hasKeys()
    await screen.type(':q!\n')
    await screen.prompt()
    await looksTheSame(screen)
    await screen.hasKeys()
    await screen.type('less -N rows\n')
    await screen.shows(/^ +1 row/m)
    await screen.type(' ')
    await expect.poll(() => screen.text()).not.toMatch(/^ +1 row/m)
    await looksTheSame(screen)
    await screen.hasKeys()
    await screen.type('q')
    await screen.prompt()
    // htop redraws the time, so the test stops it. A shell with job control would treat it as suspended, and print its
    // prompt.
    await screen.type('set +m; htop -d 100\n')
    await screen.shows('F10')
    await runIn(agents.at(-1)!.name, 'kill -STOP $(pidof htop)')
    await looksTheSame(screen)
    await runIn(agents.at(-1)!.name, 'kill -CONT $(pidof htop)')
    await screen.hasKeys()
    await screen.type('q')
    await screen.prompt()
  })

  // Without a page: `emulator/src/headless/repaint.test.ts` and `e2e/protocol/terminal-screens.test.ts`, cell by cell.
  longIt('is the same with every mode there is', async () => {
    const screen = await inBash()
    const { name } = agents.at(-1)!
    await runIn(name, `cat > ~/modes.sh <<'END'${EVERY_MODE}\nEND`)
    await screen.type('bash modes.sh\n')
    await screen.shows('inside')
    await looksTheSame(screen)
    const { modes, normal, ...rest } = await everything(screen.page)
    expect(rest).toMatchObject({ cursorHidden: true, cursorShape: 'bar', mouse: 'SGR', region: [2, 9] })
    expect(rest.title).toBe('every mode')
    const { 0: curly } = normal.filter((line) => line.includes('curly'))
    expect(curly).toMatch(/;3:\d+:\d+}curly/)
    expect(normal.join('\n')).toContain('https://example.org}a link')
    expect(modes).toMatchObject({ applicationCursorKeysMode: true, mouseTrackingMode: 'any', wraparoundMode: false })
  })

  // The first test has every cell of many lines, and `emulator/src/headless/repaint.test.ts` screens as CLIs draw them.
  it.each(
    inLongForm([
      ['claude-code', /Claude Code v/],
      ['gemini-cli', /Tips for getting started/],
    ] as const),
  )('is the same in %s', async (runtime, prompt) => {
    const name = await agentWith(runtime)
    const screen = new Screen(await visit(owner, `/agents/${name}`))
    await screen.is('connected')
    await screen.shows(prompt)
    await screen.hasKeys()
    await screen.type('a question that is not sent')
    await screen.shows('a question that is not sent')
    // The CLI redraws when it likes, and a stopped one is continued. So a guest's page, which stays, is the measure.
    const guest = new Screen(await (await newContext()).newPage())
    await goTo(guest.page, await share(screen.page, 'View only', ANYONE))
    await guest.shows('a question that is not sent')
    await reload(screen.page)
    await screen.is('connected')
    await looksLike(screen, guest)
  })

  // The next test answers nothing either.
  longIt('answers nothing that a program asked before it was there', async () => {
    const network = await cuttable()
    const name = await agentWith('bash')
    const context = await newContext({ proxy: { server: network.url }, provoked: [/ERR_|WebSocket connection to/] })
    const page = await context.newPage()
    await signInAt(page, owner, `/agents/${name}`)
    const screen = new Screen(page)
    await screen.prompt()
    await screen.hasKeys()
    const answers = () => readIn(name, 'cat ~/answers')
    const ask = String.raw`printf '\e[c\e[6n\e[?2004$p'`
    await screen.type(
      `stty raw -echo; (while [ ! -e ~/again ]; do sleep 0.1; done; ${ask}; touch ~/asked) & ${ask}; cat > ~/answers\n`,
    )
    await expect.poll(answers).toContain('$y')
    const before = await answers()
    expect(before).toMatch(/c.*R.*\$y$/s)
    await reload(page)
    await screen.is('connected')
    await settled(page)
    expect(await answers()).toBe(before)
    // A program's queries without a client appear only in a replay.
    network.cut()
    await screen.is('reconnecting')
    await runIn(name, 'touch ~/again; while [ ! -e ~/asked ]; do sleep 0.1; done')
    network.mend()
    await screen.is('connected')
    await settled(page)
    await screen.hasKeys()
    await screen.type('typed')
    await expect.poll(answers).toBe(`${before}typed`)
    await context.close()
    await network.close()
  })

  // `frontend/src/terminal/session/streams/inputQueue.test.ts` has what waits, and
  // `frontend/src/terminal/programs/hostileOutput.test.ts` what may be answered.
  longIt(
    'takes what is typed, pasted and pressed while it is being shown anew, and still answers nothing',
    async () => {
      const network = await cuttable()
      const name = await agentWith('bash')
      const phone = { hasTouch: true, permissions: ['clipboard-read', 'clipboard-write'] }
      const provoked = [/ERR_|WebSocket connection to|async parser handler/]
      const context = await newContext({ ...phone, proxy: { server: network.url }, provoked })
      const page = await context.newPage()
      await signInAt(page, owner, `/agents/${name}`)
      const screen = new Screen(page)
      await screen.prompt()
      await screen.element.click()
      await screen.hasKeys()
      const typed = () => readIn(name, 'cat ~/typed')
      // The output contains a sequence that blocks the page's emulator, with queries before and after it.
      const output = String.raw`printf '\e[c\e]7777;\a\e[6n\e[?2004h'`
      await screen.type(
        `stty raw -echo; (while [ ! -e ~/now ]; do sleep 0.1; done; ${output}; touch ~/printed) & cat > ~/typed\n`,
      )
      await expect.poll(() => readIn(name, 'ls ~')).toContain('typed')
      await screen.element.evaluate((element) => {
        const { parser } = (element as unknown as { xterm: Terminal }).xterm
        const held = (): Promise<boolean> => new Promise((go) => Object.assign(element, { goOn: () => go(true) }))
        // The types of the headless emulator lack asynchronous handlers.
        parser.registerOscHandler(7777, held as unknown as () => boolean)
      })
      network.cut()
      await screen.is('reconnecting')
      await runIn(name, 'touch ~/now; while [ ! -e ~/printed ]; do sleep 0.1; done')
      network.mend()
      await screen.is('connected')
      const isHeld = () => screen.element.evaluate((element) => 'goOn' in element)
      await expect.poll(isHeld).toBe(true)
      await screen.type('key')
      await expect.poll(typed).toBe('key')
      await page.getByTestId('key-bar').getByRole('button', { name: 'Control and C' }).tap()
      await expect.poll(typed).toBe('key\x03')
      await page.evaluate(() => navigator.clipboard.writeText('pasted'))
      await page.getByTestId('key-paste').tap()
      await screen.element.evaluate((element) => (element as unknown as { goOn: () => void }).goOn())
      // The paste is bracketed, because output that was not parsed yet had asked for that.
      await expect.poll(typed).toBe('key\x03\x1b[200~pasted\x1b[201~')
      await settled(page)
      expect(await typed()).toBe('key\x03\x1b[200~pasted\x1b[201~')
      await context.close()
      await network.close()
    },
  )
})
