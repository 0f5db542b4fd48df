/** The skills of tasks, with the real CLIs: their model server sees which ones a prompt gets. */
import type { CodingSession, Skill } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inTurn } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, eventsOf, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh } from '../../support/tasks/model.ts'

/** In the description and in the instructions of the skill, and nowhere else. */
const DESCRIBED = 'canary-of-the-description-7341'
const INSTRUCTED = 'canary-of-the-instructions-7342'
const NAME = 'changelog-of-the-tests'
const PATH = `/platform/skills/${NAME}`
const TEXT = `---
name: ${NAME}
description: ${DESCRIBED} says how a changelog is written.
triggers: [changelog]
priority: 100
---
${INSTRUCTED}: one line for each change.
`
const LEFT = 'ls -d /tmp/slipway-skills-* 2>/dev/null | wc -l'

let admin: Client
let owner: Client

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  const files = [{ path: 'scripts/count.sh', text: '#!/bin/sh\necho 4711\n' }]
  await admin.ok<Skill>('PUT', PATH, { text: TEXT, files })
})
afterAll(() => admin.ok('DELETE', PATH))

const run = async (agent: string, prompt: string): Promise<CodingSession> =>
  endedTask(owner, (await startTask(owner, { agent, prompt })).id)

/** Those of the texts that the model server was asked with for a prompt. */
const seenWith = async (agent: string, mark: string): Promise<string[]> => {
  const lines = (await sh(owner, agent, 'cat model.log')).split('\n').filter((line) => line.startsWith('asked '))
  const names = lines.map((line) => line.split(' ')).filter((words) => words.includes(mark))
  return [DESCRIBED, INSTRUCTED].filter((text) => names.some((words) => words.includes(text)))
}

/** CLIs with a folder for skills read the instructions only when the model asks for them. */
const CLIS: readonly { readonly runtime: Runtime; readonly seen: readonly string[] }[] = [
  { runtime: 'claude-code', seen: [DESCRIBED] },
  { runtime: 'codex', seen: [DESCRIBED, INSTRUCTED] },
  { runtime: 'gemini-cli', seen: [DESCRIBED, INSTRUCTED] },
  { runtime: 'copilot', seen: [DESCRIBED] },
  { runtime: 'opencode', seen: [DESCRIBED] },
]

/** In the short form, Claude Code and one of the others. */
const TRIED = CLIS.filter((cli) => cli.runtime === 'claude-code' || inTurn(CLIS.slice(1), 0).includes(cli))

for (const { runtime, seen } of TRIED)
  describe(`a skill of the platform, with ${runtime},`, () => {
    let agent: string
    beforeAll(async () => {
      const say = [{ say: 'Done.' }]
      const script = { '@with': say, '@without': say, [DESCRIBED]: say, [INSTRUCTED]: say }
      agent = (await agentWithModel(owner, script, runtime)).name
    })

    it('reaches a prompt that has its trigger, while its task runs', async () => {
      const task = await run(agent, '@with Write the changelog, please.')
      expect(task).toMatchObject({ state: 'completed', prompt: '@with Write the changelog, please.' })
      expect(await seenWith(agent, '@with')).toEqual(seen)
      expect(await eventsOf(owner, task.id)).toContainEqual(
        expect.objectContaining({ type: 'status', message: expect.stringContaining(`${NAME} (platform, for`) }),
      )
      await until('the removal of the skills', async () => (await sh(owner, agent, LEFT)).trim() === '0')
    })

    it('does not reach a prompt without its trigger', async () => {
      expect(await run(agent, '@without Write a poem.')).toMatchObject({ state: 'completed' })
      expect(await seenWith(agent, '@without')).toEqual([])
    })
  })
