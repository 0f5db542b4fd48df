/** The page of an agent's files, as a user works with it: by mouse, by keyboard, and on a phone. */
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { readIn } from '../../support/agent/in-agent.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })
const HOME = '/home/developer'

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

const run = (script: string) => readIn(its.agent.name, script)
const row = (page: Page, path: string) => page.locator(`[role="treeitem"][data-path="${HOME}/${path}"]`)
const menu = async (page: Page, item: string): Promise<void> => {
  await page.getByTestId('files-menu').click()
  await page.getByRole('menuitem', { name: item }).click()
}
/** The path that the dialog asks for. */
const answer = async (page: Page, path: string): Promise<void> => {
  // The dialog selects the name once it has the focus.
  await page.locator('[data-testid="path-field"]:focus').fill(path)
  await page
    .getByTestId('path-form')
    .getByRole('button', { name: /Create|Move/ })
    .click()
  await page.getByTestId('path-form').waitFor({ state: 'detached' })
}

describe('the files of an agent', () => {
  it('are found, shown, edited and saved, and a change of another program is not lost', async () => {
    await run(
      String.raw`mkdir -p ship/src && cd ship && printf '# Ship\n\nA *fast* one. <img src=x onerror=alert(1)>\n' > README.md &&
      printf 'export const speed = 12\n' > src/ship.ts && printf 'name,knots\n"Atlas, old",12\n' > fleet.csv && : > "$(printf 'l\351.txt')"`,
    )
    const page = await visit(its.owner, `${its.path}/files`, { provoked: [answered(412)] })
    await row(page, 'ship').click()
    await row(page, 'ship/README.md').click()
    const markdown = page.getByTestId('file-markdown')
    await markdown.getByText('fast').waitFor()
    expect(await markdown.locator('img').count()).toBe(0)
    await row(page, 'ship/fleet.csv').click()
    await page.getByRole('cell', { name: 'Atlas, old' }).waitFor()

    await page.keyboard.press('Control+p')
    await page.getByTestId('quick-open').fill('shts')
    await page.locator('[data-file="ship/src/ship.ts"]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByTestId('file-text').getByText('speed').waitFor()
    // The worker colours the pieces.
    await page.locator('[data-testid="file-text"][data-coloured="true"]').waitFor()

    await page.getByTestId('file-edit').click()
    const editor = page.getByTestId('file-editor').locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('// mine')
    await page.keyboard.press('Control+s')
    await page.getByTestId('file-dirty').waitFor({ state: 'detached' })
    expect(await run('cat ship/src/ship.ts')).toBe('export const speed = 12\n// mine')

    await page.keyboard.type(', again')
    await run(`echo '// theirs' > ship/src/ship.ts`)
    await page.getByTestId('file-save').click()
    await page.getByTestId('file-conflict').waitFor()
    expect(await run('cat ship/src/ship.ts')).toBe('// theirs\n')
    await page.getByTestId('conflict-compare').click()
    await page.getByTestId('file-differences').getByText('theirs').waitFor()
    await page.getByTestId('conflict-compare').click()
    await page.getByTestId('conflict-overwrite').click()
    await page.getByTestId('file-conflict').waitFor({ state: 'detached' })
    await expect.poll(() => run('cat ship/src/ship.ts')).toBe('export const speed = 12\n// mine, again')
    await page.getByTestId('file-done').click()

    // What changes on the disk shows by itself: a name in an open folder, and the shown file.
    await run(`echo '// from the agent' > ship/src/ship.ts; touch ship/new.txt`)
    await page.getByTestId('file-text').getByText('from the agent').waitFor()
    await row(page, 'ship/new.txt').waitFor()
  })

  it('are created, uploaded, moved, deleted and brought back', async () => {
    await run('mkdir -p yard/old && echo kept > yard/old/kept.txt')
    const page = await visit(its.owner, `${its.path}/files`)
    await row(page, 'yard').click()
    await menu(page, 'New folder')
    await answer(page, '~/yard/dock/inner')
    await row(page, 'yard/dock/inner').waitFor()
    await menu(page, 'New file')
    await answer(page, '~/yard/dock/plan.txt')
    await page.getByTestId('file-view').getByText('The file is empty').waitFor()
    await menu(page, 'Rename or move')
    await answer(page, '~/yard/plan.md')
    await row(page, 'yard/plan.md').waitFor()
    expect(await run('ls yard/plan.md yard/dock')).toBe('yard/plan.md\n\nyard/dock:\ninner\n')

    await page
      .getByTestId('files-chooser')
      .setInputFiles({ name: 'cargo.txt', mimeType: 'text/plain', buffer: Buffer.from('crates') })
    await row(page, 'yard/cargo.txt').waitFor()
    await row(page, 'yard/cargo.txt').dragTo(row(page, 'yard/old'))
    await row(page, 'yard/old/cargo.txt').waitFor()
    expect(await run('cat yard/old/cargo.txt')).toBe('crates')

    await row(page, 'yard/old').click()
    await page.keyboard.press('Delete')
    await row(page, 'yard/old').waitFor({ state: 'detached' })
    expect(await run('ls yard')).toBe('dock\nplan.md\n')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'yard/old').waitFor()
    expect(await run('cat yard/old/kept.txt')).toBe('kept\n')
  })

  it('that are not saved yet survive a stop of the agent, and a deletion only if the user says so', async () => {
    await run('mkdir -p .bridge/log && echo sailed > .bridge/log/logbook.txt')
    // The page looks at the disk all the time, and the server refuses a look that comes while the agent stops.
    const provoked = [answered(409), answered(503)]
    // The link of a worktree leads to its folder, which is hidden.
    const page = await visit(its.owner, `${its.path}/files?folder=~/.bridge/log`, { provoked })
    const logbook = row(page, '.bridge/log/logbook.txt')
    await logbook.click()
    await page.getByTestId('file-edit').click()
    const editor = page.getByTestId('file-editor').locator('.cm-content')
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('and arrived')
    await its.owner.ok('POST', `${its.path}/stop?wait=true`)
    await page.getByTestId('files-waiting').waitFor()
    await page.keyboard.type(' again')
    await its.owner.ok('POST', `${its.path}/start?wait=true`)
    await page.getByTestId('files-waiting').waitFor({ state: 'detached' })
    await logbook.click()
    await page.keyboard.press('Delete')
    await page.getByTestId('confirm-action').waitFor()
    await page.keyboard.press('Escape')
    await page.getByTestId('confirm-action').waitFor({ state: 'detached' })
    await page.getByTestId('file-save').click()
    await page.getByTestId('file-dirty').waitFor({ state: 'detached' })
    expect(await run('cat .bridge/log/logbook.txt')).toBe('sailed\nand arrived again')
  })

  // The walk finds a file and searches (`files-find`, `files-search`), in a narrow window by turns.
  longIt('are reached by keys alone, searched in their contents, and are two steps on a phone', async () => {
    await run(`mkdir -p hold/deep && seq 1 400 > hold/deep/log.txt && echo 'the needle is here' >> hold/deep/log.txt`)
    const page = await visit(its.owner, `${its.path}/files`)
    await row(page, 'hold').waitFor()
    const tree = page.getByRole('tree', { name: 'Files' })
    const current = () =>
      tree.evaluate((element) => {
        const id = element.getAttribute('aria-activedescendant')
        return id === null ? null : (document.getElementById(id)?.dataset['path'] ?? null)
      })
    await tree.focus()
    for (const [key, path] of [
      ['h', 'hold'],
      ['ArrowRight', 'hold'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(current).toBe(`${HOME}/${path}`)
    }
    await row(page, 'hold/deep').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await row(page, 'hold/deep/log.txt').waitFor()
    expect(await row(page, 'hold/deep').getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByTestId('file-name').getByText('log.txt').waitFor()

    await page.getByTestId('files-search').click()
    await page.getByTestId('search-field').fill('needle')
    await page.keyboard.press('Enter')
    await page.getByTestId('search-hits').getByRole('button').filter({ hasText: 'needle' }).click()
    await page.getByTestId('file-text').getByText('the needle is here').waitFor()

    const phone = await visit(its.owner, `${its.path}/files`, PHONE)
    await row(phone, 'hold').tap()
    await row(phone, 'hold/deep').tap()
    await row(phone, 'hold/deep/log.txt').tap()
    await phone.getByTestId('file-text').waitFor()
    expect(await phone.getByRole('tree').isVisible()).toBe(false)
    expect(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await phone.getByTestId('files-back').tap()
    await row(phone, 'hold/deep/log.txt').waitFor()
  })
})
