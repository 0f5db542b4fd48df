import { expect, it } from 'vitest'
import { HeadlessUi } from './headless.ts'

const setUp = () => {
  const lines: string[] = []
  const at = (level: string) => (line: string) => void lines.push(`${level} ${line}`)
  const logger = { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') }
  return { ui: new HeadlessUi(logger), lines }
}

it('answers at once, and never yes', async () => {
  const { ui, lines } = setUp()
  expect(await ui.select()).toEqual({ ok: true, value: null })
  expect(await ui.confirm()).toEqual({ ok: true, value: false })
  expect(await ui.input()).toEqual({ ok: true, value: null })
  expect(await ui.editor()).toEqual({ ok: true, value: null })
  expect([ui.getEditorText(), ui.hasUi(), lines]).toEqual(['', false, []])
})

it('logs notices at their levels, and what it works on', () => {
  const { ui, lines } = setUp()
  ui.notify('a')
  ui.notify('b', 'success')
  ui.notify('c', 'warning')
  ui.notify('d', 'error')
  ui.setWorkingMessage('e')
  ui.setWorkingMessage(null)
  expect(lines).toEqual(['info a', 'info [SUCCESS] b', 'warning c', 'error d', 'debug [WORKING] e'])
})

it('keeps and shows nothing else', () => {
  const { ui, lines } = setUp()
  ui.setStatus()
  ui.setWidget()
  ui.setTitle()
  ui.setEditorText()
  expect([ui.getEditorText(), lines]).toEqual(['', []])
})
