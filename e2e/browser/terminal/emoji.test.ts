/** Emoji take the columns that programs count: in what they print, in bash's command line, and after a reload. */
// In the short form `emulator/src/widths/widths.test.ts` counts all of these texts.
import '@slipway/testing/long'
import { MEASURED } from '@slipway/emulator/testing'
import type { Terminal } from '@xterm/headless'
import { inLongForm } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { differences, everything, settled } from '../../support/page/cells.ts'
import { reload, useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', keepSeconds: 300 })
const opened = async (): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  return screen
}

/** Each line, with the column of its first bar; -1: it has none. */
const bars = (page: Page): Promise<{ text: string; column: number }[]> =>
  page.evaluate(() => {
    const selector = '[data-testid="terminal-panel"] [data-testid="terminal"]'
    const { cols, buffer } = document.querySelector<HTMLElement & { readonly xterm?: Terminal }>(selector)!.xterm!
    return Array.from({ length: buffer.active.length }, (_, y) => {
      const line = buffer.active.getLine(y)!
      const column = Array.from({ length: cols }, (_, x) => line.getCell(x)!.getChars()).indexOf('|')
      return { text: line.translateToString(true), column }
    })
  })

// In the short form as the CLIs count. `emulator/src/widths/widths.test.ts` counts all texts in both ways.
it.each([
  ['as the coding CLIs count', '', 'emoji'],
  ...inLongForm([
    ['as the C library counts, where a program asks for that', String.raw`\e[?2027l`, 'characters'] as const,
  ]),
] as const)('prints each text in its columns, %s, and the same after a reload', async (_name, before, counting) => {
  const screen = await opened()
  const lines = MEASURED.map(({ text }, at) => `${text}|${at}`)
  await its.owner.upload(its.agent.name, 'emoji', `${lines.join('\n')}\n`)
  await screen.type(`clear; printf '${before}'; cat emoji; echo do''ne ${counting}\n`)
  await screen.shows(`done ${counting}`)
  const shown = async () => {
    const all = await bars(screen.page)
    return lines.map((line) => all.findLast(({ text }) => text === line))
  }
  const wanted = MEASURED.map((measured, at) => ({ text: lines[at], column: measured[counting] }))
  expect(await shown()).toEqual(wanted)
  const drawn = await settled(screen.page)
  await reload(screen.page)
  await screen.is('connected')
  await expect.poll(async () => differences(drawn, await everything(screen.page))).toBe('')
  expect(await shown()).toEqual(wanted)
})

/** Letters that are typed, deleted and typed elsewhere, around emoji in bash's command line. */
const edits = async (screen: Screen): Promise<void> => {
  await screen.type('echo 👍🏽⚠️🇩🇪|cat')
  for (let times = 0; times < 4; times += 1) await screen.press('ArrowLeft')
  await screen.type('XY')
  for (const key of ['Backspace', 'Backspace', 'Home', '#', 'End', '!']) await screen.press(key)
  // A wrong count leaves a gap, or a letter in the place of another.
  await screen.shows(/\$ #echo 👍🏽⚠️🇩🇪\|cat!$/m)
  for (const key of ['Backspace', 'Home', 'Delete']) await screen.press(key)
  await screen.shows(/\$ echo 👍🏽⚠️🇩🇪\|cat$/m)
  await screen.press('Control+c')
  // The terminal drops what comes before the shell has handled the key.
  await screen.shows(/\^Cho .*\n(.*\n)?.*\$ *$/m)
}

it('edits them in bash where bash takes them to be', async () => {
  const screen = await opened()
  await edits(screen)
  await screen.type("echo '👍🏽⚠️🇩🇪|'\n")
  await screen.shows(/^👍🏽⚠️🇩🇪\|$/m)
  expect((await bars(screen.page)).find(({ text }) => text === '👍🏽⚠️🇩🇪|')).toMatchObject({ column: 6 })
})

it('edits them in tmux where tmux takes them to be, and counts as before when it has ended', async () => {
  const screen = await opened()
  await screen.type('clear; tmux\n')
  await screen.shows(/\[0\] 0:bash/)
  await screen.shows(/\$ *$/m)
  await edits(screen)
  await screen.type('exit\n')
  await screen.shows('[exited]')
  await screen.type("echo '👍🏽⚠️🇩🇪|'\n")
  await screen.shows(/^👍🏽⚠️🇩🇪\|$/m)
  expect((await bars(screen.page)).find(({ text }) => text === '👍🏽⚠️🇩🇪|')).toMatchObject({ column: 6 })
})
