import { expect, test } from 'vitest'
import { changedFields } from '@/lib/changedFields.ts'
import { keepSteps, memorySteps, modelProblem, settingsBody, type AgentSettings } from './agentSettings.ts'

test('a model cannot become an option', () => {
  expect(modelProblem('--dangerous')).not.toBeNull()
  expect([modelProblem(''), modelProblem('claude-opus-4-1[1m]')]).toEqual([null, null])
})

const SETTINGS: AgentSettings = {
  runtime: 'codex',
  model: '',
  skipPermissions: true,
  policy: null,
  autoCommit: false,
  image: '',
  cpus: 2,
  memoryMb: 4096,
  keepSeconds: 300,
  terminalsPerUser: 1,
  record: false,
  recordInput: false,
}

test('only what was changed is sent, and an empty text as nothing', () => {
  expect(settingsBody(changedFields(SETTINGS, { ...SETTINGS, cpus: 4 }))).toEqual({ cpus: 4 })
  expect(settingsBody(changedFields({ ...SETTINGS, model: 'x' }, SETTINGS))).toEqual({ model: null })
})

test('memory is offered in doublings up to the most there is', () => {
  expect(memorySteps(6000)).toEqual([512, 1024, 2048, 4096, 6000])
})

test('how long a terminal waits is offered in words, with what was set otherwise', () => {
  expect(keepSteps(90).map(({ label }) => label)).toEqual([
    'Do not keep',
    '90 s',
    '5 minutes',
    '30 minutes',
    '2 hours',
    '8 hours',
    '24 hours',
  ])
})
