// @vitest-environment happy-dom
import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import type { Shape } from '@/lib/agents/agentState.ts'
import StateGlyph from './StateGlyph.vue'

const SHAPES: Shape[] = ['running', 'starting', 'stopped', 'failed', 'needs-you']

test('each state has a shape of its own, so that it can be told without colour', () => {
  const drawings = SHAPES.map((shape) => mount(StateGlyph, { props: { shape } }).get('svg > *').html())
  expect(new Set(drawings).size).toBe(SHAPES.length)
})

test('a glyph that stands alone is named for screen readers, and one beside a word is hidden', () => {
  const alone = mount(StateGlyph, { props: { shape: 'failed', label: 'Failed' } })
  expect(alone.attributes()).toMatchObject({ role: 'img', 'aria-label': 'Failed' })
  const beside = mount(StateGlyph, { props: { shape: 'failed' } })
  expect(beside.attributes('aria-hidden')).toBe('true')
})
