/** Skills, and what tasks of an agent get of them. */
import type { Team } from '../../support/people/team.ts'
import type { Person } from '../../support/people/people.ts'
import { type Act, type Answer, row, send, someAgent, someUser } from './act.ts'

const SKILL = 'of-an-act'
const MINE = `/users/me/skills/${SKILL}` as const
const body = { text: `---\nname: ${SKILL}\ndescription: says how.\n---\nDo it.\n` }
const facts = { of: 'user', skill: SKILL }

const by = ({ email }: Person) => ({ actor: email, target: email })
/** A user who has set a skill. */
const holder = async (team: Team): Promise<Person> => {
  const person = await someUser(team)
  await send(team, person, `PUT ${MINE}`, body)
  return person
}

export const SKILLS: readonly Act[] = [
  [
    'a skill that is set',
    200,
    async (team) => {
      const person = await someUser(team)
      const changes = {
        enabled: { after: true },
        files: { secret: 'set' },
        name: { after: SKILL },
        text: { secret: 'set' },
      }
      return {
        perform: (): Promise<Answer> => send(team, person, `PUT ${MINE}`, body),
        rows: [{ action: 'skill.set', ...by(person), detail: { ...facts, changes } }],
      }
    },
  ],
  [
    'a skill that is switched off',
    200,
    async (team) => {
      const person = await holder(team)
      const changes = { enabled: { before: true, after: false } }
      return {
        perform: (): Promise<Answer> => send(team, person, `PATCH ${MINE}`, { enabled: false }),
        rows: [{ action: 'skill.switched', ...by(person), detail: { ...facts, changes } }],
      }
    },
  ],
  [
    'a skill that is removed',
    204,
    async (team) => {
      const person = await holder(team)
      return {
        perform: (): Promise<Answer> => send(team, person, `DELETE ${MINE}`),
        rows: [{ action: 'skill.removed', ...by(person), detail: facts }],
      }
    },
  ],
  [
    'which skills tasks of an agent get',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const changes = { repository: { before: false, after: true } }
      const settings = { repository: true, maxPromptTokens: 4000 }
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `PUT /agents/${agent}/skill-settings`, settings),
        rows: [row(team, 'skill.settings_set', agent, { of: 'agent', changes })],
      }
    },
  ],
  [
    'skills that are read to import',
    200,
    async (team) => {
      const agent = await someAgent(team)
      return {
        perform: (): Promise<Answer> =>
          send(team, team.owner, `POST /agents/${agent}/skills-import`, { folder: 'notes' }),
        rows: [row(team, 'skill.imported', agent, { of: 'agent', path: 'notes' })],
      }
    },
  ],
]
