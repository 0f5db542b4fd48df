import { expect, test } from 'vitest'
import { changedSettings, memorySteps, modelProblem, settingsBody, type AgentSettings } from './agentSettings.ts'

test('a model cannot become an option', () => {
  expect(modelProblem('--dangerous')).not.toBeNull()
  expect([modelProblem(''), modelProblem('claude-opus-4-1[1m]')]).toEqual([null, null])
})

const SETTINGS: AgentSettings = {
  runtime: 'codex',
  model: '',
  skipPermissions: true,
  image: '',
  cpus: 2,
  memoryMb: 4096,
}

test('only what was changed is sent, and an empty text as nothing', () => {
  expect(settingsBody(changedSettings(SETTINGS, { ...SETTINGS, cpus: 4 }))).toEqual({ cpus: 4 })
  expect(settingsBody(changedSettings({ ...SETTINGS, model: 'x' }, SETTINGS))).toEqual({ model: null })
})

test('memory is offered in doublings up to the most there is', () => {
  expect(memorySteps(6000)).toEqual([512, 1024, 2048, 4096, 6000])
})
