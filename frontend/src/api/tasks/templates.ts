import type { CreatePromptTemplate, PromptTemplate, UpdatePromptTemplate } from '@slipway/protocol'
import { http } from '../transport/client.ts'

const BASE = '/prompt-templates'

/** Where templates of this owner are changed. */
const pathOf = (of: PromptTemplate['of']): string => (of === 'platform' ? `/platform${BASE}` : BASE)

/** The user's own and those of the platform, by name. Long prompts are cut. */
export const listTemplates = () => http.request<PromptTemplate[]>('GET', BASE)
/** With its whole prompt. */
export const readTemplate = (id: string) => http.request<PromptTemplate>('GET', `${BASE}/${encodeURIComponent(id)}`)
export const createTemplate = (of: PromptTemplate['of'], body: CreatePromptTemplate) =>
  http.request<PromptTemplate>('POST', pathOf(of), body)
export const updateTemplate = ({ of, id }: PromptTemplate, body: UpdatePromptTemplate) =>
  http.request<PromptTemplate>('PATCH', `${pathOf(of)}/${encodeURIComponent(id)}`, body, 'harmless')
export const deleteTemplate = ({ of, id }: PromptTemplate) =>
  http.send('DELETE', `${pathOf(of)}/${encodeURIComponent(id)}`)
