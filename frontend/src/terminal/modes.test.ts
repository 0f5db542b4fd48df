import { expect, test } from 'vitest'
import { modeLabel, queryMode, runtimeLabel } from './modes.ts'

test.each([
  ['claude-code', 'Claude Code', 'claude'],
  ['gemini-cli', 'Gemini CLI', 'gemini'],
  ['codex', 'Codex', 'codex'],
])('%s is called %s and asked for as %s', (runtime, label, mode) => {
  expect(modeLabel('cli', runtime)).toBe(label)
  expect(queryMode('cli', runtime)).toBe(mode)
})

test.each(['aider', 'constructor'])(
  'another program is called by its own name and left to the server: %s',
  (runtime) => {
    expect(runtimeLabel(runtime)).toBe(runtime)
    expect(queryMode('cli', runtime)).toBeNull()
  },
)

test('bash is bash, whatever the agent runs', () => {
  expect(modeLabel('bash', 'codex')).toBe('Bash')
  expect(queryMode('bash', 'aider')).toBe('bash')
})
