/** What a page does while its user looks elsewhere. */
import type { Page } from 'playwright'

/** Fakes the focus of the window. A headless browser's window never loses it. */
export const look = (page: Page, here: boolean) =>
  page.evaluate((event) => dispatchEvent(new Event(event)), here ? 'focus' : 'blur')

const listen = (): void => {
  const Real = Notification
  const shown: Notification[] = []
  class Heard extends Real {
    constructor(...args: ConstructorParameters<typeof Notification>) {
      super(...args)
      shown.push(this)
    }
  }
  Object.assign(window, { Notification: Heard, shown })
}

/** Records the browser's notifications. The returned function gives those since then, or since the last reload. */
export const hear = async (page: Page): Promise<() => Promise<string[]>> => {
  await page.evaluate(listen)
  await page.addInitScript(listen)
  return () =>
    page.evaluate(() =>
      (window as unknown as { shown: Notification[] }).shown.map(({ title, body }) => `${title}: ${body}`),
    )
}
