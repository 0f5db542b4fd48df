// @vitest-environment happy-dom
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { type Coloured, highlight } from '@/lib/highlight/highlight.ts'
import FoldedText from './FoldedText.vue'

vi.mock('@/lib/highlight/highlight.ts')
enableAutoUnmount(afterEach)

const text = 'npm run build -- --mode production\nrm -rf my-app'
async function shown() {
  // Buttons look for the page that they lead to.
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: FoldedText }] })
  const folded = mount(FoldedText, { props: { text, language: 'bash' }, global: { plugins: [router] } })
  await flushPromises()
  return folded
}

const coloured: Coloured = [
  [
    ['npm run build ', 'a', 'a'],
    ['-', 'b', 'b'],
    ['- --mode production', 'c', 'c'],
  ],
  [['rm -rf my-app', 'a', 'a']],
]
it.each([
  ['plain', null],
  ['coloured', coloured],
])('no argument of a %s command to approve is broken at its hyphens, and its text stays as it is', async (_, lines) => {
  vi.mocked(highlight).mockResolvedValue(lines)
  const folded = await shown()
  expect(folded.get('code').element.textContent).toBe(text)
  const whole = folded.findAll('code .inline-block').map((run) => run.element.textContent)
  expect(whole).toEqual(['--', '--mode', '-rf', 'my-app'])
  expect(folded.findAll('.tok').length > 0).toBe(lines !== null)
})
