/** What a user without a mouse does. */
import { until } from '@slipway/testing'
import type { Page } from 'playwright'

const focusIs = (page: Page, attribute: string, value: string): Promise<boolean> =>
  page.evaluate(([name, wanted]) => document.activeElement?.getAttribute(name!) === wanted, [attribute, value])

/** Presses Tab until the element with the test id has the focus. */
export const tabTo = async (page: Page, testId: string): Promise<void> => {
  await page.getByTestId(testId).first().waitFor()
  await until(`the focus on ${testId}`, async () => {
    await page.keyboard.press('Tab')
    return focusIs(page, 'data-testid', testId)
  })
}

/** Opens the list of the field that has the focus, and chooses its last option. */
export const chooseLast = async (page: Page): Promise<void> => {
  await page.keyboard.press('Enter')
  // The list is seen before it has the focus. A key that comes earlier is the field's, which does not know it.
  await until('the focus in the list', () => focusIs(page, 'role', 'option'))
  await page.keyboard.press('End')
  // The list moves the focus in a task of its own. A key that comes earlier chooses the first option.
  await until('the focus on the last option', () =>
    page.evaluate(() => document.activeElement === [...document.querySelectorAll('[role=option]')].at(-1)),
  )
  await page.keyboard.press('Space')
  await page.getByRole('option').first().waitFor({ state: 'detached' })
}
