/** Files to and from an agent's home, as a user moves them. */
// In the short form `page.test.ts` uploads, and `links.test.ts` and `downloads.test.ts` download.
import '@slipway/testing/long'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })

describe('the files of an agent', () => {
  it('are uploaded and downloaded from its menu, and what fails says why', async () => {
    const page = await visit(its.owner, its.path, { provoked: [answered(404)] })
    await page.getByTestId('agent-menu').click()
    await page.getByRole('menuitem', { name: 'Files' }).click()
    const file = { name: 'notes ü.txt', mimeType: 'text/plain', buffer: Buffer.from('kept\n') }
    await page.getByTestId('upload-chooser').setInputFiles(file)
    await page.locator('[data-testid="upload"][data-state="done"]').waitFor()
    await page.getByLabel('Folder to upload into').fill('~/nowhere')
    await page.getByTestId('upload-chooser').setInputFiles(file)
    await page
      .locator('[data-testid="upload"][data-state="failed"]')
      .getByText('There is no such file or folder.')
      .waitFor()
    const path = page.getByLabel('Path to download')
    await path.fill('~/notes ü.txt')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('notes ü.txt')
    expect(await text(await saved.createReadStream())).toBe('kept\n')
    await path.fill('~/nothing')
    await page.getByRole('button', { name: 'Download' }).click()
    await page.getByTestId('download-form').getByText('There is no such file or folder.').waitFor()
  })
})
