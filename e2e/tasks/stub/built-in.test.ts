/**
 * How tasks of the built-in providers end if their CLI does what no CLI should. The CLI of the tests takes the place of each
 * real one, and prints what that one prints. All tasks are started at once, and wait in line for their turn.
 */
import type { CodingSession, UsageItem, UsageReport } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { combined, inTurn } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithStub, BUILT_IN, type BuiltIn, leftIn } from '../../support/tasks/stub.ts'

const SESSIONS = '/coding-agents/sessions'
const PROVIDERS = Object.keys(BUILT_IN) as BuiltIn[]
/** Those that tell a cost. */
const TELLS_COST = new Set<BuiltIn>(['claude-code', 'opencode'])

const DONE = { state: 'completed', reason: 'completed', error: null, exitCode: 0 }
const NO_WORK = { state: 'failed', reason: 'finished_without_work', exitCode: 0, result: null }
const NO_EXIT = { state: 'completed', reason: 'finished_without_exit', result: 'I am done.' }
const TIMED_OUT = { state: 'failed', reason: 'timed_out' }
/** Enough for the CLI to begin. */
const SHORT = { timeout_seconds: 3 }
/** Longer than a busy machine takes to the test of a task. */
const LONG = { timeout_seconds: 1_800 }

const ENDS: readonly (readonly [what: string, prompt: string, end: object, more?: object])[] = [
  ['does not exit after its result', '@no-exit', NO_EXIT],
  ['prints a line of 2 MB between lines that are no JSON', '@broken @long-line', { ...DONE, result: 'Well done.' }],
  ['prints two results, and leaves a child in another group', '@group @twice', { ...DONE, result: 'Second.' }],
  ['prints nothing at all', '@nothing', NO_WORK],
  ['starts and does nothing', '@mute', NO_WORK],
  ['fails after its result', '@fail', { state: 'failed', reason: 'exit_code', exitCode: 3 }],
  ['is silent after a tool', '@silent-after-tool', TIMED_OUT, SHORT],
  ['prints a line without an end', '@endless-line', TIMED_OUT, SHORT],
  ['ignores every polite signal', '@deaf', TIMED_OUT, SHORT],
]
/** Those that their user ends: one that has started itself again, and one with a child in another process group. */
const ENDED = ['@again', '@group @wait']
const COST = '@cost'

/** What is tried of a provider. In the short form each end has one provider, and each provider tells its cost. */
const endsOf = (provider: BuiltIn): typeof ENDS =>
  combined(ENDS, PROVIDERS).flatMap(([end, other]) => (other === provider ? [end] : []))
const endedOf = (provider: BuiltIn): readonly string[] =>
  ENDED.filter((_prompt, at) => inTurn(PROVIDERS, at).includes(provider))

/** A user with an agent, and their tasks by prompts. */
interface Scene {
  readonly owner: Client
  readonly agent: string
  readonly tasks: ReadonlyMap<string, string>
  start(prompt: string, more?: object): Promise<CodingSession>
}

const sceneOf = async (admin: Client, provider: BuiltIn): Promise<Scene> => {
  const owner = await newUser(admin)
  const agent = await agentWithStub(owner, provider)
  const start: Scene['start'] = (prompt, more = {}) =>
    startTask(owner, { agent, provider, prompt, queue: true, ...more })
  const tasks = new Map<string, string>()
  for (const [prompt, more] of [
    ...endsOf(provider).map(([, prompt, , more]) => [prompt, more] as const),
    // Last, because they hold their places until their tests.
    [COST, {}] as const,
    ...endedOf(provider).map((prompt) => [prompt, LONG] as const),
  ])
    tasks.set(prompt, (await start(prompt, more)).id)
  return { owner, agent, tasks, start }
}

let scenes: ReadonlyMap<BuiltIn, Scene>

beforeAll(async () => {
  const admin = await signInAdmin()
  scenes = new Map(await Promise.all(PROVIDERS.map(async (one) => [one, await sceneOf(admin, one)] as const)))
})

describe.each(PROVIDERS)('a CLI in place of that of %s', (provider) => {
  let scene: Scene
  beforeAll(() => {
    const found = scenes.get(provider)
    if (!found) throw new Error(`there is no agent for ${provider}`)
    scene = found
  })

  const taskFor = (prompt: string): string => scene.tasks.get(prompt) ?? ''
  /** The task when it has ended, with events that have no gap. */
  const ended = async (id: string): Promise<CodingSession> => {
    const { owner } = scene
    await endedTask(owner, id)
    const numbers = (await eventsOf(owner, id)).map(({ seq }) => seq)
    // Its last lines may come after its end.
    const task = await taskOf(owner, id)
    expect(numbers).toEqual(Array.from({ length: task.lastSeq }, (_, index) => index + 1))
    return task
  }
  const usageOf = async ({ id }: CodingSession): Promise<UsageItem | undefined> => {
    const { items } = await scene.owner.ok<UsageReport>('GET', '/coding-agents/usage?group=run')
    return items.find(({ key }) => key === id)
  }

  it.each(endsOf(provider).map(([what, prompt, end]) => [what, prompt, end] as const))(
    '%s',
    async (_what, prompt, end) => {
      expect(await ended(taskFor(prompt))).toMatchObject(end)
    },
  )

  it('costs what it cost once if it tells its cost twice, also after a resume', async () => {
    const first = await ended(taskFor(COST))
    const second = await ended((await scene.start(COST, { resume: first.id })).id)
    for (const task of [first, second]) {
      expect(task).toMatchObject({ ...DONE, result: 'All.', costUsd: TELLS_COST.has(provider) ? 0.75 : null })
      expect(await usageOf(task)).toMatchObject({ inputTokens: 750 })
    }
  })

  it.each(endedOf(provider))('is ended by its user, with all that it started: %s', async (prompt) => {
    const id = taskFor(prompt)
    await until('its first words', async () => (await taskOf(scene.owner, id)).lastSeq > 0)
    await scene.owner.ok('DELETE', `${SESSIONS}/${id}`)
    expect(await ended(id)).toMatchObject({ state: 'terminated', reason: 'terminated' })
  })

  it('has left nothing', async () => {
    await expect.poll(() => leftIn(scene.owner, scene.agent)).toEqual([])
  })
})
