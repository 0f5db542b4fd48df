/** The page that describes the API. It needs no sign-in. */
import type { Visitor } from '../visitor.ts'

const toTop = (element: Element): void => element.scrollIntoView()

export const apiPage = async (visitor: Visitor): Promise<void> => {
  const page = await visitor.open(null, '/docs')
  await page.locator('#operations-tag-exec').click()
  // An operation with text, a parameter, a body and many responses.
  const operation = page.locator('#operations-exec-postAgentsNameExec')
  const summary = operation.locator('.opblock-summary-control')
  await summary.waitFor()
  await visitor.pass(page, 'api')

  await summary.click()
  await operation.locator('.responses-table .microlight').first().waitFor()
  await operation.evaluate(toTop)
  await visitor.see(page, 'api-operation')
  if (!visitor.isThorough) return
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.locator('.responses-table').getByRole('tab', { name: 'Schema' }).first().click()
  await operation.getByRole('button', { name: 'Execute' }).waitFor()
  await operation.evaluate(toTop)
  await visitor.see(page, 'api-operation-tried')
  await summary.click()

  const schemas = page.locator('section.models')
  await schemas.locator('.models-control').click()
  await schemas.getByRole('button', { name: 'Expand all' }).first().click()
  await schemas.evaluate(toTop)
  await visitor.see(page, 'api-schemas')

  await page.getByRole('button', { name: 'Authorize', exact: true }).click()
  await page.getByRole('textbox', { name: 'Value' }).waitFor()
  await visitor.see(page, 'api-token')
}
