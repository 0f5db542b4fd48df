/** Rules of people decide what Claude Code asks, and an agent's policy what it may do at all. */
import type { Agent, ApprovalRule, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { ASKED_MS, endedTask, eventsOf, refusalOf, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })
const CHAINED = 'git push origin main:third; rm -rf /home/developer/kept'
const HIDDEN = "sh -c 'git push origin main:hidden'"
const OPEN = 'chmod 777 /home/developer'

let admin: Client
let owner: Client
let agent: Agent
beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  agent = await agentWithModel(owner, {
    '@publish': [
      bash('git push origin main'),
      bash('git push origin main:again'),
      bash(CHAINED),
      bash(HIDDEN),
      bash(HIDDEN),
      { say: 'All done.' },
    ],
    '@open': [bash(OPEN), { say: 'All done.' }],
    '@change': [
      bash('ls /home/developer'),
      { tool: 'Write', input: { file_path: '/home/developer/written', content: 'x' } },
      bash('touch /home/developer/touched'),
      { tool: 'ExitPlanMode', input: { plan: 'Touch it.' } },
      bash('touch /home/developer/later'),
      { say: 'This is the plan.' },
    ],
  })
})

/** The next open question of a task, which is about this command. */
const asked = async (session: string, command: string): Promise<Dialog> =>
  until(
    `the question about ${command}`,
    async () => {
      const [dialog] = await owner.ok<Dialog[]>('GET', `/dialogs?state=open&session=${session}`)
      return dialog?.question.kind === 'approval' && dialog.question.command === command ? dialog : false
    },
    ASKED_MS,
  )
const answer = (client: Client, { id }: Dialog, body: object): Promise<Dialog> =>
  client.ok<Dialog>('POST', `/dialogs/${id}/answer`, body)

it('a rule that is made from a card lets the same command pass the next time, and nothing that hides another one', async () => {
  await sh(
    owner,
    agent.name,
    'mkdir kept && git init -q --bare there && git init -q -b main app && cd app && git remote add origin ../there && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m one',
  )
  const { id } = await startTask(owner, { agent: agent.name, prompt: '@publish', policy: 'tiers', cwd: 'app' })
  const first = await asked(id, 'git push origin main')
  const covers = { kind: 'command', words: ['git', 'push', 'origin'], exact: false }
  expect(first.question).toMatchObject({ tier: 2, rules: [covers] })
  await answer(owner, first, { decision: 'allow', always: { of: 'user' } })

  const second = await asked(id, CHAINED)
  expect(await sh(owner, agent.name, 'git --git-dir there branch')).toContain('again')
  await answer(owner, second, { decision: 'deny' })
  const third = await asked(id, HIDDEN)
  await answer(owner, third, { decision: 'deny', always: { of: 'agent' } })
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed', result: 'All done.' })

  expect(await sh(owner, agent.name, 'git --git-dir there branch')).not.toMatch(/third|hidden/)
  expect(await sh(owner, agent.name, 'ls')).toContain('kept')
  const answers = (await eventsOf(owner, id)).filter(({ type }) => type === 'answer')
  expect(answers).toMatchObject([
    { by: owner.email, text: 'Allowed, from now on.' },
    { by: null, text: 'Allowed by a rule of its user: git push origin …' },
    { by: owner.email },
    { by: owner.email, text: 'Denied, from now on.' },
    { by: null, text: expect.stringMatching(/^Denied by a rule of the agent: sh -c/) as unknown },
  ])
  expect(await owner.ok<ApprovalRule[]>('GET', '/approval-rules')).toMatchObject([
    { of: 'user', decision: 'allow', covers, createdBy: owner.email },
  ])
})

it('a rule of a user counts for no task of another user', async () => {
  const covers = { kind: 'command', words: OPEN.split(' '), exact: true }
  const rule = await admin.ok<ApprovalRule>('POST', '/approval-rules', { decision: 'allow', covers })
  const { id } = await startTask(owner, { agent: agent.name, prompt: '@open it', policy: 'tiers' })
  const dialog = await asked(id, OPEN)
  await answer(owner, dialog, { decision: 'deny' })
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed' })
  await admin.ok('DELETE', `/approval-rules/${rule.id}`)
})

it('tasks of an agent that only plans change nothing, and may not be laxer', async () => {
  // What the files of the agent allow does not count.
  const settings = JSON.stringify({ permissions: { allow: ['Bash', 'Write', 'Edit', 'ExitPlanMode'] } })
  await sh(owner, agent.name, `mkdir -p .claude && echo '${settings}' > .claude/settings.local.json`)
  await owner.ok('PATCH', `/agents/${agent.name}`, { policy: 'plan' })
  const { id, policy } = await startTask(owner, { agent: agent.name, prompt: '@change it' })
  expect(policy).toBe('plan')
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed', result: 'This is the plan.' })
  const done = (await eventsOf(owner, id)).map((event) => JSON.stringify(event)).join('\n')
  expect(await sh(owner, agent.name, 'ls'), done).not.toMatch(/written|touched|later/)
  const body = { agent: agent.name, prompt: 'change it', policy: 'ask' }
  expect(await refusalOf(owner, 'POST', '/coding-agents/sessions', body)).toEqual([400, 'VALIDATION'])
  const codex = { agent: agent.name, prompt: 'change it', provider: 'codex' }
  expect(await refusalOf(owner, 'POST', '/coding-agents/sessions', codex)).toEqual([400, 'VALIDATION'])
})
