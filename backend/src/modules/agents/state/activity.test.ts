import { beforeEach, expect, it } from 'vitest'
import { TestClock } from '../../../../test/support/clock.ts'
import { Signal } from '../../../lib/emitter.ts'
import { Activity, TELL_EVERY_MS } from './activity.ts'

let clock: TestClock
let told: string[]
let activity: Activity
beforeEach(() => {
  clock = new TestClock()
  told = []
  const changed = new Signal<string>()
  changed.on((agentId) => told.push(agentId))
  activity = new Activity(clock, changed)
})
const now = (): string => new Date(clock.now()).toISOString()

it('an agent in which nothing has happened has no activity and no branch', () => {
  expect(activity.of('a')).toEqual({ lastActivityAt: null, branch: null, tasksAtWork: 0 })
})

it('what happens is known at once, and told once a minute at most', () => {
  activity.happened('a')
  clock.advance(TELL_EVERY_MS - 1)
  activity.happened('a')
  activity.happened('b')
  expect(activity.of('a').lastActivityAt).toBe(now())
  expect(told).toEqual(['a', 'b'])
  clock.advance(1)
  activity.happened('a')
  expect(told).toEqual(['a', 'b', 'a'])
})

it('each task that begins or stops to work is told at once, and the answer has their number alone', () => {
  activity.taskWorks('a', 'task-1', true)
  activity.taskWorks('a', 'task-2', true)
  activity.taskWorks('b', 'task-3', true)
  expect([activity.of('a'), activity.of('b')]).toMatchObject([{ tasksAtWork: 2 }, { tasksAtWork: 1 }])
  activity.taskWorks('a', 'task-1', false)
  activity.taskWorks('a', 'task-1', false)
  activity.taskWorks('a', 'unknown', false)
  expect(activity.of('a').tasksAtWork).toBe(1)
  expect(told).toEqual(['a', 'a', 'b', 'a'])
  activity.forget('a')
  expect(activity.of('a').tasksAtWork).toBe(0)
})

it('the branch is that of the repository that was looked at last', () => {
  activity.saw('a', { folder: 'web', branch: 'main' })
  activity.saw('a', { folder: 'api', branch: 'fix/tides' })
  expect(activity.of('a').branch).toEqual({ name: 'fix/tides', folder: '/home/developer/api', seenAt: now() })
  clock.advance(1000)
  activity.saw('a', { folder: 'api', branch: 'fix/tides' })
  expect(activity.of('a').branch?.seenAt).toBe(now())
  expect(told).toEqual(['a', 'a'])
  activity.saw('a', { folder: 'api', branch: null })
  expect(activity.of('a').branch).toBeNull()
})

it('of an agent that begins with a repository, it is the branch of that one', () => {
  activity.saw('a', { folder: 'web', branch: 'main' })
  activity.saw('a', { folder: 'api', branch: 'main', isFirst: true })
  activity.saw('a', { folder: 'web', branch: 'other' })
  activity.saw('a', { folder: 'api', branch: 'next' })
  expect(activity.of('a').branch).toMatchObject({ name: 'next', folder: '/home/developer/api' })
})

it('what the database knows does not replace what is newer, and a long name is cut', () => {
  const seenAt = new Date(clock.now() - 5000)
  activity.happened('a')
  const lastAt = new Date(clock.now() - 9000)
  activity.remember([
    { agentId: 'a', lastAt, repository: { folder: 'api', branch: 'x'.repeat(1000), seenAt } },
    { agentId: 'b', lastAt, repository: null },
  ])
  expect(activity.of('a').lastActivityAt).toBe(now())
  expect(activity.of('a').branch?.name).toHaveLength(255)
  expect(activity.of('b')).toEqual({ lastActivityAt: lastAt.toISOString(), branch: null, tasksAtWork: 0 })
  activity.forget('b')
  expect(activity.of('b').lastActivityAt).toBeNull()
})
