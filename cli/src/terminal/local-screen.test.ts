import { createEmulator } from '@slipway/emulator/headless'
import { expect, it } from 'vitest'
import { LocalScreen } from './local-screen.ts'

/** A terminal after a program has printed these pieces, and after it was restored. */
const restored = async (...pieces: string[]) => {
  const screen = new LocalScreen()
  const { terminal } = createEmulator({ cols: 40, rows: 10 })
  for (const piece of pieces) {
    screen.watch(Buffer.from(piece))
    terminal.write(piece)
  }
  await new Promise<void>((resolve) => terminal.write(screen.restoring, resolve))
  return terminal
}

it('switches off what a program has switched on', async () => {
  const { modes, buffer } = await restored(
    '\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b[?7l\x1b[4h\x1b[?6h\x1b[2;5r',
  )
  expect(buffer.active.type).toBe('normal')
  expect(modes).toMatchObject({
    ...{ mouseTrackingMode: 'none', bracketedPasteMode: false, applicationCursorKeysMode: false },
    ...{ wraparoundMode: true, insertMode: false, originMode: false },
  })
})

it('finds the other screen in pieces, and after the reset that begins a screen of the server', async () => {
  expect((await restored('\x1b[?104', '9h')).buffer.active.type).toBe('normal')
  expect((await restored('\x1bc\x1b[m\x1b[?1049htext')).buffer.active.type).toBe('normal')
})

it('leaves the cursor of the normal screen where it is, and goes to the next line', async () => {
  const { buffer } = await restored('one\r\ntwo\x1b[?1049h\x1b[5;5H\x1b[?1049l', '\x1b[?1049h\x1bcthree')
  expect([buffer.active.cursorY, buffer.active.getLine(0)?.translateToString(true)]).toEqual([1, 'three'])
})
