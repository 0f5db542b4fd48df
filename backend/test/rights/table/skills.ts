/** Skills: of a user, of the platform, of an agent and of the system agent. */
import { SKILL_TEXT } from '../scene/skills.ts'
import { type Asking, type Needs, ownAgent, type Row } from './row.ts'

type Answers = Row[2]

/** Who may read the skills of one owner, and who may change them. */
interface Rights {
  readonly read: readonly [Needs, readonly number[]]
  readonly write: readonly [Needs, readonly number[]]
  readonly one: Asking
}

/** The refusals first: to nobody, a stranger, a sharee, the owner, an admin. The others are answered. */
const answers = (answer: number, refusals: readonly number[]): Answers => {
  const [nobody = answer, stranger = answer, sharee = answer, owner = answer, admin = answer] = refusals
  return [nobody, stranger, sharee, owner, admin]
}

const rowsOf = (path: string, { read, write, one }: Rights): Row[] => [
  [`GET ${path}`, read[0], answers(200, read[1])],
  [`GET ${path}/:skill`, read[0], answers(200, read[1]), one],
  [
    `PUT ${path}/:skill`,
    write[0],
    answers(200, write[1]),
    { ...one, body: () => ({ text: SKILL_TEXT, replace: true }) },
  ],
  [`PATCH ${path}/:skill`, write[0], answers(200, write[1]), { ...one, body: () => ({ enabled: false }) }],
  [`DELETE ${path}/:skill`, write[0], answers(204, write[1]), one],
]

const ofAgent = (base: string, { read, write }: Omit<Rights, 'one'>): Row[] => {
  const settings = { repository: false, maxPromptTokens: 4000 }
  return [
    [`POST ${base}/skills-preview`, read[0], answers(200, read[1]), { body: () => ({ prompt: 'Do it' }) }],
    [`POST ${base}/skills-import`, read[0], answers(200, read[1]), { body: () => ({ folder: 'notes' }) }],
    [`GET ${base}/skill-settings`, read[0], answers(200, read[1])],
    [`PUT ${base}/skill-settings`, write[0], answers(200, write[1]), { body: () => settings }],
  ]
}

const agent: Omit<Rights, 'one'> = {
  read: ['terminal', [401, 404]],
  write: ['agents:write terminal', [401, 404, 403]],
}
const systemAgent: Omit<Rights, 'one'> = {
  read: ['terminal', [401, 403, 403, 403]],
  write: ['none', [401, 403, 403, 403]],
}

export const SKILL_ROWS: readonly Row[] = [
  ['POST /api/skills/check', 'tasks:read', [401, 200, 200, 200, 200], { body: () => ({ text: SKILL_TEXT }) }],
  ...rowsOf('/api/users/me/skills', {
    read: ['tasks:read', [401]],
    write: ['tasks:write', [401]],
    one: { target: (scene) => scene.skillOf('caller') },
  }),
  ...rowsOf('/api/platform/skills', {
    read: ['tasks:read', [401]],
    write: ['none', [401, 403, 403, 403]],
    one: { target: (scene) => scene.skillOf('platform') },
  }),
  ...rowsOf('/api/agents/:name/skills', { ...agent, one: ownAgent }),
  ...ofAgent('/api/agents/:name', agent),
  ...rowsOf('/api/system-agent/skills', { ...systemAgent, one: { target: (scene) => scene.skillOf('system') } }),
  ...ofAgent('/api/system-agent', systemAgent),
]
