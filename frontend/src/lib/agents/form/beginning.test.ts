import type { Preparation } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { beginningBody, commandText, isNews, noBeginning, preparationText, repositoryName } from './beginning.ts'

const cloning: Preparation = {
  state: 'cloning',
  repository: {
    ...{ url: 'https://github.com/harbour/api.git', ref: null, folder: '/home/developer/api', isCloned: false },
    ...{ commit: null, branch: null },
  },
  ...{ setupCommand: null, progress: null, offer: null, confirmed: null, task: null, error: null, output: '' },
  changedAt: '2026-01-01T00:00:00.000Z',
}
const task = { userId: null, prompt: null, provider: null, sessionId: null, error: null }
const NOW = Date.parse(cloning.changedAt)

describe('what a new agent begins with', () => {
  it('is nothing while its fields are empty', () => {
    expect(beginningBody({ ...noBeginning(), ref: 'main', prompt: ' \n', useGitToken: true })).toEqual({})
  })

  it('has the fields that are filled in', () => {
    const all = {
      url: ' git@h:a/b ',
      ref: 'v1 ',
      folder: '',
      setupCommand: 'npm ci',
      prompt: 'Fix it',
      useGitToken: true,
    }
    expect(beginningBody(all)).toEqual({
      repository: { url: 'git@h:a/b', ref: 'v1' },
      setupCommand: 'npm ci',
      useGitToken: true,
      task: { prompt: 'Fix it' },
    })
  })
})

describe('a repository', () => {
  it.each([
    ['https://github.com/harbour/api.git', 'harbour/api'],
    ['git@github.com:harbour/api', 'harbour/api'],
    ['ssh://git@h/api/', 'api'],
    ['https://h/a/b/c/d', 'c/d'],
  ])('at %s is called %s', (url, name) => {
    expect(repositoryName(url)).toBe(name)
  })
})

describe('a preparation', () => {
  it.each<[string, Partial<Preparation>]>([
    ['Cloning harbour/api', {}],
    ['Cloning harbour/api · Receiving objects', { progress: { step: 'Receiving objects', percent: 5 } }],
    ['harbour/api is cloned when the agent runs', { state: 'waiting' }],
    ['harbour/api is ready in ~/api', { state: 'ready' }],
    ['Could not clone harbour/api', { state: 'failed' }],
    ['The set-up failed', { state: 'failed', repository: null, setupCommand: 'x' }],
    ['The agent is set up', { state: 'ready', repository: null }],
    ['The first task did not start: No.', { state: 'ready', task: { ...task, error: 'No.' } }],
  ])('says “%s”', (text, change) => {
    expect(preparationText({ ...cloning, ...change })).toBe(text)
  })

  it('that succeeded is news for ten minutes, and one that failed until it is hidden', () => {
    const ready = { ...cloning, state: 'ready' } as const
    expect([isNews(ready, NOW + 599_999), isNews(ready, NOW + 600_000)]).toEqual([true, false])
    expect(isNews({ ...cloning, state: 'failed' }, NOW + 1e9)).toBe(true)
  })
})

describe('a command', () => {
  it('shows where its arguments end', () => {
    expect(commandText('npm ci && npm test')).toBe('npm ci && npm test')
    expect(commandText(['sh', '-c', "echo 'a' b", ''])).toBe(String.raw`sh -c 'echo '\''a'\'' b' ''`)
  })
})
