/** A program's marked frames (synchronized output) are painted whole, or not at all. */
// In the short form `frontend/src/terminal/screen/painting.test.ts` has the same with xterm’s own renderer, and the view.
import '@slipway/testing/long'
import { FRAME_MAX_MS } from '@slipway/emulator'
import { until } from '@slipway/testing'
import { combined, inLongForm, inTurn } from '@slipway/testing/forms'
import { afterEach, describe, expect, it } from 'vitest'
import { runIn } from '../../support/agent/in-agent.ts'
import { closePages, type ContextOptions, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

/** Rows at the top of the screen to compare. The blinking cursor stays below them. */
const ROWS = 4
const CURSOR_BELOW = String.raw`\e[8;1H`

const inAgent = (script: string): Promise<void> => runIn(its.agent.name, script)
/** Lets the program of {@link begin} continue. A key would scroll the view down. */
const goOn = (step: number): Promise<void> => inAgent(`touch ~/step-${step}`)

/** Runs a program in the terminal that prints these chunks and waits between them. */
const begin = async (pieces: readonly string[], options: ContextOptions = {}): Promise<Screen> => {
  const steps = pieces.map((piece, n) => `until [ -e ~/step-${n} ]; do sleep 0.02; done; ${piece}`)
  await inAgent(`cat > ~/program <<'EOF'\nstty -echo\n${steps.join('\n')}\nsleep 1000\nEOF`)
  const screen = new Screen(await visit(its.owner, its.path, options))
  await screen.shell()
  await screen.type('bash ~/program\n')
  return screen
}
const print = (text: string): string => `printf '${text}'`
const OLD = print(String.raw`\e[?1049l\e[2J\e[Hold frame\r\nof two rows${CURSOR_BELOW}`)
const HALF = print(String.raw`\e[?2026h\e[2J\e[Hnew half`)
const WHOLE = print(String.raw` and the rest\e[K${CURSOR_BELOW}\e[?2026l`)
const ALTERNATE_HALF = print(String.raw`\e[?2026h\e[?1049h\e[2J\e[Hnew half`)
const ALTERNATE_WHOLE = print(String.raw` and the rest${CURSOR_BELOW}\e[?2026l`)

afterEach(async () => {
  await closePages()
  await inAgent('rm -f ~/step-*; pkill -f program || true')
})

/** A picture of the first rows. */
const painted = async (screen: Screen): Promise<string> => {
  const { x, y, width, height } = (await screen.page.locator('.xterm-screen:visible').boundingBox())!
  const { rows } = await screen.size()
  const clip = { x, y, width, height: (height * ROWS) / rows }
  return (await screen.page.screenshot({ clip })).toString('base64')
}
/** The picture once it no longer changes. */
const paintedStill = (screen: Screen): Promise<string> =>
  until('the picture to stand still', async () => {
    const [one, other] = [await painted(screen), await painted(screen)]
    return one === other && one
  })

/** Number of tries, because a busy machine may not take a picture in time. */
const TRIES = 5
const tries = <T>(pieces: readonly T[]): T[] => Array.from({ length: TRIES }, () => pieces).flat()

/**
 * Lets the program print an old frame, half of a new one and the rest. Returns the pictures taken in between, and those
 * of the frames.
 */
const framesOf = async (screen: Screen): Promise<{ old: string; half: string[]; whole: string }> => {
  for (let step = 0; step < 3 * TRIES; step += 3) {
    await goOn(step)
    await screen.shows(/^old frame$/m)
    const old = await paintedStill(screen)
    const since = performance.now()
    await goOn(step + 1)
    await screen.shows(/^new half$/m)
    const half: string[] = []
    for (;;) {
      const picture = await painted(screen)
      if (performance.now() - since > FRAME_MAX_MS) break
      half.push(picture)
    }
    await goOn(step + 2)
    await screen.shows(/^new half and the rest$/m)
    if (half.length > 0) return { old, half, whole: await paintedStill(screen) }
  }
  throw new Error('no picture was taken in time')
}

const RENDERERS = [{ webgl: false }, { webgl: true }]
const FRAMES = [
  { where: '', pieces: [HALF, WHOLE] },
  { where: ' either where its program goes to the other screen within it', pieces: [ALTERNATE_HALF, ALTERNATE_WHOLE] },
]

describe('half of a frame', () => {
  const cases = combined(RENDERERS, FRAMES).map(([options, frame]) => ({ ...frame, ...options, options }))

  it.each(cases)('is not painted$where (webgl: $webgl)', async ({ options, pieces }) => {
    const screen = await begin(tries([OLD, ...pieces]), options)
    const { old, half, whole } = await framesOf(screen)
    expect(new Set(half)).toEqual(new Set([old]))
    expect(whole).not.toBe(old)
  })

  it.each(inTurn(RENDERERS, 0))('is painted where the rest does not come in time (%o)', async (options) => {
    const screen = await begin([OLD, HALF], options)
    await goOn(0)
    await screen.shows(/^old frame$/m)
    const old = await paintedStill(screen)
    await goOn(1)
    await screen.shows(/^new half$/m)
    await expect.poll(() => painted(screen)).not.toBe(old)
  })

  it.each(inTurn(RENDERERS, 1))('is painted at once where the terminal gets another size (%o)', async (options) => {
    const screen = await begin([OLD, HALF], options)
    await goOn(0)
    await screen.shows(/^old frame$/m)
    const painted = screen.page.evaluate(async () => {
      const element = document.querySelector('[data-testid="terminal-panel"] [data-testid="terminal"]')
      const { xterm } = element as HTMLElement & { xterm: Terminal }
      interface Terminal {
        readonly cols: number
        readonly rows: number
        readonly buffer: { active: { getLine(y: number): { translateToString(trim: boolean): string } } }
        onWriteParsed(listener: () => void): void
        onRender(listener: () => void): void
        resize(cols: number, rows: number): void
      }
      const isHalf = () => xterm.buffer.active.getLine(0).translateToString(true) === 'new half'
      await new Promise<void>((resolve) => xterm.onWriteParsed(() => isHalf() && resolve()))
      const parsedAt = performance.now()
      const rendered = new Promise<void>((resolve) => xterm.onRender(resolve))
      xterm.resize(xterm.cols, xterm.rows - 1)
      await rendered
      return performance.now() - parsedAt
    })
    await goOn(1)
    expect(await painted).toBeLessThan(FRAME_MAX_MS / 2)
  })
})

describe('frames that follow each other at once', () => {
  it('are painted now and then, though there is always another one that is not whole', async () => {
    const frames = String.raw`for ((n = 1000; ; n++)); do printf '\e[?2026l\e[?2026h\e[H%d %d %d' $n $n $n; sleep 0.002; done`
    const screen = await begin([OLD, frames])
    await goOn(0)
    await screen.shows(/^old frame$/m)
    await goOn(1)
    const pictures = new Set<string>()
    await until('many pictures', async () => {
      pictures.add(await painted(screen))
      return pictures.size > 10
    })
  })
})

describe('a program that asks whether frames are painted whole', () => {
  it('is told that they are, and whether it is in the middle of one', async () => {
    const ask = String.raw`printf '\e[?2026$p'; IFS= read -rsd y answer; answers+="\${answer#?}y "`
    const screen = await begin([
      `${ask}; printf '\\e[?2026h'; ${ask}; printf '\\e[?2026l'; ${ask}; echo "$answers"`.replaceAll('\\$', '$'),
    ])
    await goOn(0)
    await screen.shows('[?2026;2$y [?2026;1$y [?2026;2$y')
  })
})

/** The first visible line, and its text. */
const view = (screen: Screen): Promise<{ at: number; text: string; isAtEnd: boolean }> =>
  screen.page.evaluate(() => {
    const element = document.querySelector('[data-testid="terminal-panel"] [data-testid="terminal"]')
    const { active } = (element as HTMLElement & { xterm: { buffer: { active: Buffer } } }).xterm.buffer
    interface Buffer {
      readonly viewportY: number
      readonly baseY: number
      getLine(y: number): { translateToString(trim: boolean): string }
    }
    const { viewportY: at, baseY } = active
    return { at, text: active.getLine(at).translateToString(true), isAtEnd: at === baseY }
  })

describe('a view that was scrolled up', () => {
  const LINES = String.raw`printf '\e[2J\e[3J\e[H'; seq -f 'line %g' 300`
  const ANEW = String.raw`printf '\e[?2026h\e[2J\e[3J\e[H'`
  const END = String.raw`echo one more; printf '\e[?2026l'`
  /** Scrolls up, and returns the new view. */
  const scrollUp = async (screen: Screen): Promise<Awaited<ReturnType<typeof view>>> => {
    const { at } = await view(screen)
    await screen.page.mouse.move(600, 400)
    await screen.page.mouse.wheel(0, -1400)
    await expect.poll(async () => (await view(screen)).at).toBeLessThan(at - 40)
    await paintedStill(screen)
    return view(screen)
  }

  it.each<[how: string, pieces: string[]]>([
    // The next one has more to hold back.
    ...inLongForm<[string, string[]]>([['at once', [`${ANEW}; seq -f 'line %g' 300; ${END}`]]]),
    ['in pieces', [`${ANEW}; seq -f 'line %g' 100`, `seq -f 'line %g' 101 300`, END]],
    ['more slowly than a frame is held back', [ANEW, `sleep 1.2; seq -f 'line %g' 300`, END]],
  ])('stays where it is while its program prints everything anew, %s', async (_how, pieces) => {
    const screen = await begin([LINES, ...pieces])
    await goOn(0)
    await screen.shows(/^line 300$/m)
    const before = await scrollUp(screen)
    const picture = await paintedStill(screen)
    for (const [n] of pieces.entries()) await goOn(n + 1)
    await screen.shows(/^one more$/m)
    await expect.poll(() => view(screen)).toEqual(before)
    expect(await paintedStill(screen)).toBe(picture)
    // Further scrolling starts from there.
    await screen.page.mouse.wheel(0, -100)
    await expect.poll(async () => (await view(screen)).at).toBeLessThan(before.at)
    expect((await view(screen)).at).toBeGreaterThan(before.at - 20)
  })

  it('goes where its reader scrolls meanwhile', async () => {
    const screen = await begin([LINES, `${ANEW}; seq -f 'line %g' 100`, `seq -f 'line %g' 101 300; ${END}`])
    await goOn(0)
    await screen.shows(/^line 300$/m)
    const before = await scrollUp(screen)
    await goOn(1)
    await screen.shows(/^line 100$/m)
    await screen.page.mouse.wheel(0, -100)
    await goOn(2)
    await screen.shows(/^one more$/m)
    await expect.poll(async () => (await view(screen)).at).toBeLessThan(before.at)
    expect((await view(screen)).at).toBeGreaterThan(before.at - 20)
  })

  it('ends where there is nothing more, and one at the end stays there', async () => {
    const screen = await begin([LINES, `${ANEW}; seq 3; ${END}`, `${ANEW}; seq -f 'line %g' 300; ${END}`])
    await goOn(0)
    await screen.shows(/^line 300$/m)
    await scrollUp(screen)
    await goOn(1)
    await screen.shows(/^3\none more$/m)
    await expect.poll(async () => (await view(screen)).isAtEnd).toBe(true)
    await goOn(2)
    await screen.shows(/^line 300\none more$/m)
    await expect.poll(async () => (await view(screen)).isAtEnd).toBe(true)
  })
})
