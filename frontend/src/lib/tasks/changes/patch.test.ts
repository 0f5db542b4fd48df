import { expect, it } from 'vitest'
import { linesOf } from './patch.ts'
import { shortPath, summaryOf } from '../transcript/steps.ts'
import type { StepEntry } from '../transcript/entries.ts'

it('numbers the lines of a patch', () => {
  const patch = '@@ -4,2 +4,2 @@ main()\n same\n-old\n+new\n\\ No newline at end of file\n'
  expect(linesOf(patch).map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ['hunk', null, null, 'Line 4 · main()'],
    ['same', 4, 4, 'same'],
    ['removed', 5, null, 'old'],
    ['added', null, 5, 'new'],
    ['note', null, null, 'No newline at end of file'],
  ])
})

it('shows marks that would turn the direction of code, in lines, commands and paths', () => {
  // Looks like a comment, and is code (CVE-2021-42574).
  const hostile = 'if (isAdmin) { /* \u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */'
  const [, added] = linesOf(`@@ -1 +1 @@\n+${hostile}\n`)
  const step = { command: { command: hostile, exitCode: null }, changes: [], state: 'running' }
  const texts = [added?.text, summaryOf(step as unknown as StepEntry, '/').object, shortPath(hostile, '/')]
  for (const text of texts) {
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(text).toContain('/* \ufffd }')
  }
})
