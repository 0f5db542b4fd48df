import { INPUT_WINDOW_BYTES, MAX_INPUT_BYTES } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { Typing } from './typing.ts'

const setUp = () => {
  const told: number[] = []
  const state = { isPaused: false }
  const typing = new Typing({
    tell: (bytes) => told.push(bytes),
    pause: () => (state.isPaused = true),
    resume: () => (state.isPaused = false),
  })
  return { typing, told, state }
}

it('tells what was taken of a paste, and nothing of keys', () => {
  const { typing, told } = setUp()
  for (let key = 0; key < 1000; key++) typing.came(1, true)
  expect(told).toEqual([])
  typing.came(MAX_INPUT_BYTES, true)
  expect(told).toEqual([1000 + MAX_INPUT_BYTES])
})

it('tells nothing of what waits, until it does not wait any more', () => {
  const { typing, told } = setUp()
  typing.came(100_000, true)
  typing.came(MAX_INPUT_BYTES, false)
  typing.came(MAX_INPUT_BYTES, false)
  expect(told).toEqual([100_000])
  typing.drained()
  expect(told).toEqual([100_000, 100_000 + 2 * MAX_INPUT_BYTES])
})

it('never pauses a client that keeps to its window, and does pause one that does not', () => {
  const { typing, state } = setUp()
  // The last frame may begin right before the end of the window.
  for (let sent = 0; sent < INPUT_WINDOW_BYTES + MAX_INPUT_BYTES; sent += MAX_INPUT_BYTES)
    typing.came(MAX_INPUT_BYTES, false)
  expect(state.isPaused).toBe(false)
  for (let more = 0; more < 8; more++) typing.came(MAX_INPUT_BYTES, false)
  expect(state.isPaused).toBe(true)
  typing.drained()
  expect(state.isPaused).toBe(false)
})
