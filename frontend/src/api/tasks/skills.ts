import type {
  FoundSkills,
  ImportSkills,
  PreviewSkills,
  SetSkill,
  Skill,
  SkillCheck,
  SkillFile,
  SkillPreview,
  SkillSettings,
  WholeSkill,
} from '@slipway/protocol'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

/** Paths of skills below `/api`: the user's own, the platform's, an agent's. */
export const MY_SKILLS = '/users/me/skills'
export const PLATFORM_SKILLS = '/platform/skills'
export const agentSkills = (key: string): string => `${agentPath(key)}/skills`

const skillPath = (path: string, name: string): string => `${path}/${encodeURIComponent(name)}`
export const listSkills = (path: string) => listAll<Skill>(path)
export const readSkill = (path: string, name: string) => http.request<WholeSkill>('GET', skillPath(path, name))
export const setSkill = (path: string, name: string, body: SetSkill) =>
  http.request<Skill>('PUT', skillPath(path, name), body, 'harmless')
export const switchSkill = (path: string, name: string, enabled: boolean) =>
  http.request<Skill>('PATCH', skillPath(path, name), { enabled }, 'harmless')
export const removeSkill = (path: string, name: string) => http.send('DELETE', skillPath(path, name))

/** What is wrong with each field of a skill. */
export const checkSkill = (text: string, files: readonly SkillFile[]) =>
  http.request<SkillCheck>('POST', '/skills/check', { text, files }, 'harmless')

export const previewSkills = (key: string, body: PreviewSkills) =>
  http.request<SkillPreview>('POST', `${agentPath(key)}/skills-preview`, body, 'harmless')
export const importSkills = (key: string, from: ImportSkills) =>
  http.request<FoundSkills>('POST', `${agentPath(key)}/skills-import`, from, 'harmless')
export const readSkillSettings = (key: string) => http.request<SkillSettings>('GET', `${agentPath(key)}/skill-settings`)
export const setSkillSettings = (key: string, body: SkillSettings) =>
  http.request<SkillSettings>('PUT', `${agentPath(key)}/skill-settings`, body, 'harmless')
