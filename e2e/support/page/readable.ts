/** What a screen reader can read of a page. */
import type { Page } from 'playwright'
import { expect } from 'vitest'

interface Node {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role?: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly childIds?: readonly string[]
}

/** What Chromium reports to a screen reader about the page's lists and their items, one line each. */
export const readable = async (page: Page): Promise<string[]> => {
  const client = await page.context().newCDPSession(page)
  const { nodes } = (await client.send('Accessibility.getFullAXTree')) as { nodes: readonly Node[] }
  await client.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const textOf = (node: Node): string =>
    node.role?.value === 'StaticText'
      ? (node.name?.value ?? '')
      : (node.childIds ?? []).map((id) => textOf(byId.get(id)!)).join('')
  return nodes.filter(({ role, ignored }) => role?.value === 'listitem' && !ignored).map(textOf)
}

/** Waits until a screen reader can find a line. */
export const reads = (page: Page, line: string | RegExp) =>
  expect
    .poll(async () => (await readable(page)).some((row) => (typeof line === 'string' ? row === line : line.test(row))))
    .toBe(true)

/** Turns screen reader support on in the palette. */
export const turnOnScreenReader = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+Shift+K')
  await page.getByTestId('palette').waitFor()
  await page.keyboard.type('screen reader')
  const choice = page.getByRole('option', { name: 'Turn screen reader support on' })
  await choice.and(page.locator('[data-highlighted]')).waitFor()
  await page.keyboard.press('Enter')
}
