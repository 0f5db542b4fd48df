// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { openEditor } from './editor.ts'

/** The text of an editor after a paste at its beginning. */
function pasted(lineEnd: '\n' | '\r\n', text: string, clipboard: string): string {
  const parent = document.body.appendChild(document.createElement('div'))
  const nothing = (): void => undefined
  const editor = openEditor({
    ...{ parent, name: 'notes', text, lineEnd, line: null },
    ...{ onChange: nothing, onSave: nothing },
  })
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', clipboard)
  parent.querySelector('.cm-content')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  const after = editor.text()
  editor.close()
  parent.remove()
  return after
}

it('pasted lines end as those of the file do', () => {
  expect(pasted('\r\n', 'end\r\n', 'a\nb\n')).toBe('a\r\nb\r\nend\r\n')
  expect(pasted('\n', 'end\n', 'a\r\nb\rc\n')).toBe('a\nb\nc\nend\n')
})
