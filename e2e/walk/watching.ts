/** A live terminal that somebody shares, and the page of whoever comes by the link. */
import type { Page } from 'playwright'
import { Screen } from '../support/screen.ts'
import type { Place } from './place.ts'
import type { Visitor } from './visitor.ts'

/** Makes a link in the dialog that is open, and answers where it leads on its own origin. */
export const makeLink = async (visitor: Visitor, mine: Page): Promise<string> => {
  await visitor.choose(mine, 'link-create')
  const { pathname, hash } = new URL(await mine.getByTestId('link-url').innerText())
  return pathname + hash
}

export const watching = async (visitor: Visitor, { owner, admin, running }: Place): Promise<void> => {
  const mine = await visitor.open(owner, `/agents/${running.name}`)
  await new Screen(mine).shows(/^❯/m)
  await visitor.heard(mine)
  await visitor.choose(mine, 'terminal-share')
  await mine.getByTestId('links-none').waitFor()
  await visitor.see(mine, 'share-terminal')
  await mine.getByRole('radio', { name: 'With control' }).check()
  await mine.getByTestId('link-warning').waitFor()
  await visitor.see(mine, 'share-with-control')
  const link = await makeLink(visitor, mine)
  await mine.getByTestId('link').waitFor()
  await visitor.see(mine, 'share-link')
  await mine.keyboard.press('Escape')
  await mine.getByTestId('share-dialog').waitFor({ state: 'detached' })

  const theirs = await visitor.open(admin, link)
  await new Screen(theirs).shows(/^❯/m)
  await visitor.see(theirs, 'watch')
  await visitor.heard(mine)
  await visitor.choose(mine, 'terminal-people')
  await mine.getByTestId('people').waitFor()
  await visitor.see(mine, 'terminal-people')
  await mine.keyboard.press('Escape')
  await visitor.choose(mine, 'people-here')
  await mine.getByTestId('live-sessions').waitFor()
  await visitor.see(mine, 'live-sessions')
  await mine.keyboard.press('Escape')
  await visitor.choose(theirs, 'control-ask')
  await theirs.getByTestId('control-withdraw').waitFor()
  await visitor.see(theirs, 'watch-asked')
  await mine.getByTestId('control-asked').waitFor()
  await visitor.see(mine, 'control-asked')
  await visitor.choose(mine, 'control-hand-over')
  await mine.getByTestId('control-away').waitFor()
  await visitor.see(mine, 'control-away')
  await theirs.getByTestId('control-give-back').waitFor()
  await visitor.see(theirs, 'watch-control')
  await visitor.choose(mine, 'control-take-back')
  await theirs.getByTestId('control-ask').waitFor()
  await visitor.see(theirs, 'watch-control-taken')

  await theirs.goto('/watch')
  await theirs.getByText('This link is not complete').waitFor()
  await visitor.see(theirs, 'watch-incomplete')
  const guest = await visitor.open(null, link)
  await guest.getByTestId('login-form').waitFor()
  await visitor.see(guest, 'watch-sign-in')
  await theirs.goto(link)
  await new Screen(theirs).shows(/^❯/m)
  await visitor.choose(mine, 'terminal-people')
  await visitor.choose(mine, 'people-links')
  await visitor.choose(mine, 'row-remove')
  await mine.getByTestId('confirm-action').waitFor()
  await visitor.see(mine, 'share-revoke')
  await mine.getByTestId('confirm-action').click()
  await mine.getByTestId('links-none').waitFor()
  await theirs.getByTestId('terminal-error').waitFor()
  await visitor.see(theirs, 'watch-revoked')
  await theirs.reload()
  await theirs.getByTestId('terminal-error').getByText('leads to no terminal').waitFor()
  await visitor.see(theirs, 'watch-refused')

  // Another hash alone is another link in the same page.
  await theirs.goto(await makeLink(visitor, mine))
  await new Screen(theirs).shows(/^❯/m)
  await mine.keyboard.press('Escape')
  await mine.getByTestId('share-dialog').waitFor({ state: 'detached' })
  await visitor.choose(mine, 'terminal-disconnect')
  await mine.getByTestId('confirm-action').waitFor()
  await visitor.see(mine, 'terminal-disconnect-others')
  await mine.getByTestId('confirm-action').click()
  await theirs.getByTestId('terminal-error').getByText('The terminal was closed.').waitFor()
  await visitor.see(theirs, 'watch-ended')
}
