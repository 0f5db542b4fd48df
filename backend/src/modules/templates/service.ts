/** A user's prompt templates, and those of the platform. */
import {
  type CreatePromptTemplate,
  fieldProblem,
  type PromptTemplate,
  TEMPLATE_SHOWN,
  TEMPLATES_MAX,
  type UpdatePromptTemplate,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import type { Obstacle, TemplateRepository, TemplateRow } from './repository.ts'

export interface TemplateDeps {
  readonly templates: TemplateRepository
  readonly clock: Clock
  readonly newId: NewId
}

/** Whose templates a change is about: those of its user, or those of the platform. */
export type Whose = PromptTemplate['of']

export class TemplateService {
  readonly #deps: TemplateDeps

  constructor(deps: TemplateDeps) {
    this.#deps = deps
  }

  /** The user's own and those of the platform, by name, with cut prompts. */
  async list({ userId }: Caller): Promise<PromptTemplate[]> {
    return (await this.#deps.templates.visibleTo(userId)).map((row) => present({ ...row, prompt: shown(row.prompt) }))
  }

  /** One of the user's own or of the platform, with its whole prompt. Throws `NOT_FOUND`. */
  async get({ userId }: Caller, id: string): Promise<PromptTemplate> {
    const row = isUuid(id) ? await this.#deps.templates.findVisible(userId, id) : null
    if (!row) throw notFound()
    return present(row)
  }

  /** Throws `VALIDATION`, `NAME_TAKEN`, `TOO_MANY_TEMPLATES`, `AUDIT_REFUSED`. */
  async create(caller: Caller, whose: Whose, body: CreatePromptTemplate): Promise<PromptTemplate> {
    const { templates, clock, newId } = this.#deps
    checkFields(body.prompt)
    const at = new Date(clock.now())
    const fields = { name: body.name.trim(), prompt: body.prompt, createdAt: at, updatedAt: at }
    const row: TemplateRow = { id: newId(), userId: ownerOf(caller, whose), ...fields }
    const obstacle = await templates.create(row, TEMPLATES_MAX, actorOf(caller))
    if (obstacle !== null) throw refusalOf(obstacle)
    return present(row)
  }

  /** Throws `NOT_FOUND`, `VALIDATION`, `NAME_TAKEN`, `AUDIT_REFUSED`. */
  async change(caller: Caller, whose: Whose, id: string, body: UpdatePromptTemplate): Promise<PromptTemplate> {
    const { templates, clock } = this.#deps
    if (body.prompt !== undefined) checkFields(body.prompt)
    const changed = (before: TemplateRow): TemplateRow => ({
      ...before,
      name: body.name?.trim() ?? before.name,
      prompt: body.prompt ?? before.prompt,
      updatedAt: new Date(clock.now()),
    })
    const row = isUuid(id) ? await templates.change(ownerOf(caller, whose), id, changed, actorOf(caller)) : null
    if (row === null) throw notFound()
    if (typeof row === 'string') throw refusalOf(row)
    return present(row)
  }

  /** Tasks that began with it keep their prompts. Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, whose: Whose, id: string): Promise<void> {
    const { templates } = this.#deps
    if (!isUuid(id) || !(await templates.remove(ownerOf(caller, whose), id, actorOf(caller)))) throw notFound()
  }
}

const ownerOf = ({ userId }: Caller, whose: Whose): string | null => (whose === 'platform' ? null : userId)

const checkFields = (prompt: string): void => {
  const problem = fieldProblem(prompt)
  if (problem !== null) throw new AppError('VALIDATION', `body.prompt: ${problem}`)
}

const refusalOf = (obstacle: Obstacle): AppError =>
  obstacle === 'name_taken'
    ? new AppError('NAME_TAKEN', 'There is a template of this name already. Choose another name.')
    : new AppError('TOO_MANY_TEMPLATES', `There are ${TEMPLATES_MAX} templates, the maximum. Delete one first.`)

const shown = (prompt: string): string =>
  prompt.length > TEMPLATE_SHOWN ? `${prompt.slice(0, TEMPLATE_SHOWN).toWellFormed()}…` : prompt

const present = ({ id, userId, name, prompt, createdAt, updatedAt }: TemplateRow): PromptTemplate => ({
  ...{ id, of: userId === null ? 'platform' : 'user', name, prompt },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
