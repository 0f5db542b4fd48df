/** Paths in the output that lead to files of the agent are links. A click downloads the file. */
import { text } from 'node:stream/consumers'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

const open = async (): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path))
  await screen.shell()
  return screen
}
const pointed = (screen: Screen) =>
  screen.page.locator('.xterm-screen:visible').evaluate((element) => element.classList.contains('xterm-cursor-pointer'))
const click = async (screen: Screen, word: string) => {
  const { x, y } = await screen.spot(word)
  await screen.page.mouse.move(x, y)
  await expect.poll(() => pointed(screen)).toBe(true)
  const download = screen.page.waitForEvent('download')
  // Many users open files with a double click. The second click must not download again.
  await screen.page.mouse.dblclick(x, y)
  const saved = await download
  return { name: saved.suggestedFilename(), content: await text(await saved.createReadStream()) }
}

describe('a path in the output', () => {
  // `downloads.test.ts` has a path of the home, and `frontend/src/terminal/links/paths.test.ts` the others.
  longIt('that leads to a file is a download, absolute, of the home, or of where the shell stands', async () => {
    const screen = await open()
    const saved: string[] = []
    screen.page.on('download', (download) => saved.push(download.suggestedFilename()))
    await screen.run('mkdir -p project/src; echo kept > project/src/x.ts; echo home > notes.md; cd project; clear')
    await screen.type("printf 'at %s and %s:12:3, %s\\n' /home/developer/notes.md src/x.ts '~/notes.md'\n")
    await screen.shows(/^at /m)
    expect(await click(screen, '/home/developer/notes.md')).toEqual({ name: 'notes.md', content: 'home\n' })
    expect(await click(screen, 'src/x.ts:12:3')).toEqual({ name: 'x.ts', content: 'kept\n' })
    expect(await click(screen, '~/notes.md')).toEqual({ name: 'notes.md', content: 'home\n' })
    expect(saved).toEqual(['notes.md', 'x.ts', 'notes.md'])
  })

  // `downloads.test.ts` has a click.
  longIt('is a download for a thumb, too, at its first tap, and nothing beside it is', async () => {
    const screen = new Screen(await visit(its.owner, its.path, PHONE))
    const { page } = screen
    await screen.is('connected')
    await screen.prompt()
    await page.touchscreen.tap(200, 300)
    await screen.hasKeys()
    await screen.run('echo kept > by-thumb.txt; clear')
    // Below the toasts.
    await screen.type("printf '\\n%.0s' {1..12}; printf '%s\\n' 'in by-thumb.txt it stands'\n")
    await screen.shows(/^in by-thumb/m)
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    const tap = async (word: string): Promise<void> => {
      const { x, y } = await screen.spot(word)
      await page.touchscreen.tap(x, y)
    }
    await tap('stands')
    const download = page.waitForEvent('download')
    await tap('by-thumb.txt')
    const file = await download
    expect(await text(await file.createReadStream())).toBe('kept\n')
    expect(saved).toEqual(['by-thumb.txt'])
  })

  // `frontend/src/terminal/links/files.test.ts` and `backend/src/modules/files/find.test.ts`, “do not lead out of it”.
  longIt('that leads to none, to a folder, or out of the home is text', async () => {
    const screen = await open()
    await screen.run('mkdir -p folder/inside; ln -sf /etc/passwd outside; echo x > real.txt; clear')
    await screen.type("printf '%s\\n' no/such/file folder/inside /etc/passwd ./outside real.txt\n")
    await screen.shows(/^real\.txt$/m)
    const looked: string[] = []
    screen.page.on('response', (response) => {
      if (response.url().endsWith('/files/find')) looked.push(response.request().postData() ?? '')
    })
    for (const word of ['no/such/file', 'folder/inside', '/etc/passwd', './outside']) {
      const { x, y } = await screen.spot(word)
      await screen.page.mouse.move(x, y)
      await expect.poll(() => looked.some((body) => body.includes(word))).toBe(true)
      expect(await pointed(screen), word).toBe(false)
    }
    const { x, y } = await screen.spot('real.txt')
    await screen.page.mouse.move(x, y)
    await expect.poll(() => pointed(screen)).toBe(true)
  })

  it('that a program marked as a link to a file is a download, and no other scheme does anything', async () => {
    const screen = await open()
    await screen.run('echo marked > "a b.txt"; clear')
    await screen.type("printf '\\e]8;;file://host/home/developer/a%%20b.txt\\e\\\\the file\\e]8;;\\e\\\\\\n'\n")
    await screen.shows(/^the file$/m)
    expect(await click(screen, 'the file')).toEqual({ name: 'a b.txt', content: 'marked\n' })
    await screen.run('clear')
    await screen.type("printf '\\e]8;;javascript:document.title=1\\e\\\\the trap\\e]8;;\\e\\\\\\n'\n")
    await screen.shows(/^the trap$/m)
    const before = await screen.page.title()
    const { x, y } = await screen.spot('the trap')
    await screen.page.mouse.click(x, y)
    expect(await screen.run('echo unharmed')).toBe('unharmed')
    expect(await screen.page.title()).toBe(before)
    expect(screen.page.context().pages()).toHaveLength(1)
  })
})
