/** The project of the picture's agent, and its model's answers. */

/** The folder of the project, in the agent's home. */
export const FOLDER = 'harbour'
const PROJECT = `/home/developer/${FOLDER}`

/** Files of the project. The program never finds the last berth, because the list counts from 0. */
export const FILES = {
  'berths.mjs': `const BERTHS = Array.from({ length: 24 }, (_, at) => ({ number: at + 1 }))

/** Answers a request for one berth. */
export const answer = (number) => {
  const berth = BERTHS[number]
  return berth ? { status: 200, berth } : { status: 404 }
}
`,
  'berths.test.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from './berths.mjs'

test('every berth answers with its own number', () => {
  for (let number = 1; number <= 24; number++) assert.equal(answer(number).berth?.number, number)
})
test('a berth that does not exist answers 404', () => assert.equal(answer(25).status, 404))
`,
}

/** The owner's prompt, and the last words of the answer. */
export const PROMPT = 'Berth 24 answers 404. Find out why and fix it.'
export const ANSWER = 'Fixed. Berth 24 answers 200, and both tests pass.'
/** The line after the model's change, as it appears on the screen. */
export const CHANGED = 'BERTHS[number - 1]'

/** The prompt of the task, and the last words of its answer. */
export const TASK = 'Answer 400 if the number of a berth is no integer, and test it.'
export const TESTED = 'All three tests pass.'

/** Files that let the model continue. The picture creates them in time. */
export const GATES = { edit: '/tmp/edit', test: '/tmp/test' } as const

const CONVERSATION = [
  { say: 'I’ll look at how a berth is found.', tool: 'Read', input: { file_path: `${PROJECT}/berths.mjs` } },
  {
    gate: GATES.edit,
    say: 'Berths count from 1 and the list counts from 0, so the last berth is never found.',
    tool: 'Edit',
    input: {
      file_path: `${PROJECT}/berths.mjs`,
      old_string: '  const berth = BERTHS[number]\n',
      new_string: `  const berth = ${CHANGED}\n`,
    },
  },
  {
    gate: GATES.test,
    tool: 'Bash',
    input: { command: 'node --test --test-reporter=spec', description: 'Run the tests' },
  },
  { say: ANSWER },
]
const TASK_STEPS = [
  { say: 'I’ll look at the tests first.', tool: 'Read', input: { file_path: `${PROJECT}/berths.test.mjs` } },
  { tool: 'Read', input: { file_path: `${PROJECT}/berths.mjs` } },
  {
    tool: 'Edit',
    input: {
      file_path: `${PROJECT}/berths.mjs`,
      old_string: `  const berth = ${CHANGED}\n`,
      new_string: `  if (!Number.isInteger(number)) return { status: 400 }\n  const berth = ${CHANGED}\n`,
    },
  },
  {
    tool: 'Edit',
    input: {
      file_path: `${PROJECT}/berths.test.mjs`,
      old_string: "test('a berth that does not exist",
      new_string:
        "test('a number that is no integer answers 400', () => assert.equal(answer(1.5).status, 400))\ntest('a berth that does not exist",
    },
  },
  {
    tool: 'Bash',
    input: { command: 'node --test --test-reporter=spec', description: 'Run the tests' },
  },
  { say: `A number that is no integer answers **400** now. ${TESTED}` },
]

/** The model's answers for the prompts with these words, in the format of `script.mjs`. */
export const STEPS = { 'Berth 24 answers 404': CONVERSATION, 'if the number of a berth': TASK_STEPS }
