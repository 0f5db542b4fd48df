/** What a page keeps while its user visits another one, and its state when they return. */
import type { Page } from 'playwright'
import { Screen } from '../../support/screen.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

/** The rail's links for all users, each with the heading of its page. */
const FOR_ALL = [['Slipway', 'Dashboard']] as const
const FOR_ADMINS = [
  ...FOR_ALL,
  ['Users', 'Users'],
  ['Audit log', 'Audit log'],
  ['Shared credentials', 'Shared credentials'],
] as const

const FILES = [{ name: 'tides.csv', mimeType: 'text/csv', buffer: Buffer.from('x') }]

export const returning = async (visitor: Visitor, { owner, admin, running }: FurnishedServer): Promise<void> => {
  const mine = await visitor.open(owner, `/agents/${running.name}`)
  await new Screen(mine).shows(/^❯/m)
  await visitor.heard(mine)
  // The terminal's own overlays stay with it.
  await mine.getByTestId('terminal-chooser').setInputFiles(FILES)
  await mine.getByTestId('terminal-files').waitFor()
  await visitor.choose(mine, 'terminal-search')
  await leaveAndReturn(visitor, mine, FOR_ALL, `rail-agent-${running.name}`)
  await mine.getByTestId('terminal-files').waitFor()
  await mine.getByTestId('terminal-search-input').waitFor()
  await visitor.see(mine, 'terminal-returned')

  const theirs = await visitor.open(admin, '/system-agent')
  await new Screen(theirs).shows(/Claude Code v/)
  await visitor.heard(theirs)
  await leaveAndReturn(visitor, theirs, FOR_ADMINS, 'rail-agent-system')
  await visitor.see(theirs, 'system-returned')
}

/** Leaves by each of the links and returns. The terminal must be as before, with its controls. */
const leaveAndReturn = async (
  visitor: Visitor,
  page: Page,
  links: readonly (readonly [link: string, heading: string])[],
  back: string,
): Promise<void> => {
  for (const [link, heading] of links) {
    await (await railOf(visitor, page)).getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await (await railOf(visitor, page)).getByTestId(back).click()
    await new Screen(page).is('connected')
    await page.getByRole('toolbar', { name: 'Terminal' }).getByTestId('terminal-disconnect').waitFor()
  }
}

/** The rail, which is a slideover in a narrow window. */
const railOf = async (visitor: Visitor, page: Page) => {
  if (visitor.screen === 'narrow') await visitor.choose(page, 'rail-toggle')
  return page.getByTestId('rail').filter({ visible: true })
}
