/** Programs that print without end, and measurements of the page under them. This uses only pages, no test runner. */
import type { Terminal } from '@xterm/headless'
import type { Page } from 'playwright'

/** The emulator's browser-only method. */
type PageTerminal = Terminal & { onWriteParsed(listener: () => void): { dispose(): void } }
type WithTerminal = HTMLElement & { readonly xterm: PageTerminal }
type WithWatch = Window & { longestTask?: number; interrupted?: Promise<number> }

const TERMINAL = '[data-testid="terminal-panel"] [data-testid="terminal"]'

/** A progress bar that redraws 1,000 times a second, as far as a sleep of 1 ms allows. */
const PROGRESS = `python3 -c 'import signal,sys,time
signal.signal(signal.SIGINT, signal.SIG_DFL)
n = 0
while True:
  n += 1
  sys.stdout.write("\\r\\x1b[32m%s\\x1b[0m %d" % ("#" * (n % 60) + "." * (60 - n % 60), n)); sys.stdout.flush()
  time.sleep(0.001)'`

/**
 * The command, and the text on the screen once it runs. Each ends with Ctrl+C and prints nothing like a shell's prompt.
 */
export const FLOODS = {
  yes: { line: 'yes', shows: /(^y\n){10}/m },
  'random lines': { line: 'cat /dev/urandom | base64', shows: /^[\w+/]{76}$/m },
  'a progress bar': { line: PROGRESS, shows: /^#*\.* \d{3,}$/m },
} as const

/** Starts to record the page's longest task. */
export const watchTasks = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const own = window as WithWatch
    own.longestTask = 0
    const note = (list: PerformanceObserverEntryList): void => {
      for (const { duration } of list.getEntries()) own.longestTask = Math.max(own.longestTask!, duration)
    }
    new PerformanceObserver(note).observe({ type: 'longtask' })
  })

/**
 * The longest task since {@link watchTasks}, in milliseconds. 0 if no task was longer than the browser's threshold of
 * 50.
 */
export const longestTask = (page: Page): Promise<number> => page.evaluate(() => (window as WithWatch).longestTask!)

/** Resolves once the page has drawn this many frames. */
export const frames = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        let seen = 0
        const next = (): void => void ((seen += 1) > wanted ? resolve() : requestAnimationFrame(next))
        next()
      }),
    count,
  )

/** Presses Ctrl+C. Returns the milliseconds from the key to the shell's prompt, both as the page sees them. */
export const interrupt = async (page: Page): Promise<number> => {
  await page.evaluate((selector) => {
    const element = document.querySelector<WithTerminal>(selector)!
    const { xterm } = element
    const pressed = new Promise<number>((resolve) =>
      element.addEventListener('keydown', () => resolve(performance.now()), { capture: true, once: true }),
    )
    const isPrompt = (): boolean => {
      const { baseY, cursorY, getLine } = xterm.buffer.active
      return /\$ ?$/.test(getLine.call(xterm.buffer.active, baseY + cursorY)?.translateToString(true) ?? '')
    }
    const prompted = new Promise<number>((resolve) => {
      const listener = xterm.onWriteParsed(() => {
        if (!isPrompt()) return
        listener.dispose()
        resolve(performance.now())
      })
    })
    const own = window as WithWatch
    own.interrupted = Promise.all([pressed, prompted]).then(([from, to]) => to - from)
  }, TERMINAL)
  await page.keyboard.press('Control+c')
  return page.evaluate(() => (window as WithWatch).interrupted!)
}
