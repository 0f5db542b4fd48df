/** Secret variables of templates of agents, encrypted. A new agent gets them as its own, encrypted anew for it. */
import { type SetAgentTemplate, VARIABLES_BYTES } from '@slipway/protocol'
import type { Prisma } from '../../../database/generated/client.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { TemplateSecrets, TemplateVersion } from '../../agents/agent-templates/repository.ts'
import type { Changes } from '../../audit/audited.ts'
import type { Keyring, SecretPlace } from '../secret-key/keyring.ts'
import type { SecretKeyState } from '../secret-key/state.ts'
import { keyIdForWriting } from '../secret-key/repository.ts'
import { placeOf } from '../variables/repository.ts'

interface Parts {
  readonly keyring: Keyring
  readonly state: Pick<SecretKeyState, 'keyForWriting'>
  readonly clock: Clock
  readonly newId: NewId
}

/** The place where a secret variable of a template can be decrypted. */
export const templateSecretPlace = ({ templateId, name }: { templateId: string; name: string }): SecretPlace => ({
  owner: `template:${templateId}`,
  kind: `variable:${name}`,
  address: 'secret',
})

export class TemplateSecretRepository implements TemplateSecrets {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async replace(
    tx: Prisma.TransactionClient,
    templateId: string,
    wanted: NonNullable<SetAgentTemplate['secretVariables']>,
  ): Promise<Changes> {
    const { keyring, state, clock, newId } = this.#parts
    const keyId = await keyIdForWriting(tx)
    const before = await tx.agentTemplateSecret.findMany({ where: { templateId }, select: { name: true } })
    const had = new Set(before.map(({ name }) => name))
    const gone = [...had].filter((name) => !wanted.some((one) => one.name === name))
    const changes: Record<string, Changes[string]> = {}
    await tx.agentTemplateSecret.deleteMany({ where: { templateId, name: { in: gone } } })
    for (const name of gone) changes[`secretVariables.${name}`] = { secret: 'removed' }
    for (const { name, value } of wanted) {
      if (value === undefined && !had.has(name))
        throw new AppError('VALIDATION', `body.secretVariables: ${name} has no value yet, so it needs one`)
      if (value === undefined) continue
      const sealed = keyring.seal(state.keyForWriting(keyId), templateSecretPlace({ templateId, name }), value)
      const data = { ...sealed, setAt: new Date(clock.now()) }
      await tx.agentTemplateSecret.upsert({
        where: { templateId_name: { templateId, name } },
        create: { id: newId(), templateId, name, ...data },
        update: data,
      })
      changes[`secretVariables.${name}`] = { secret: had.has(name) ? 'changed' : 'set' }
    }
    await this.#checkSize(tx, templateId)
    return changes
  }

  async give(
    tx: Prisma.TransactionClient,
    { id, updatedAt }: TemplateVersion,
    { agentId, userId }: { agentId: string; userId: string },
  ): Promise<void> {
    const { keyring, state, clock, newId } = this.#parts
    const keyId = await keyIdForWriting(tx)
    const template = await tx.agentTemplate.findUnique({ where: { id, updatedAt }, include: { secrets: true } })
    // Otherwise it would get the secrets of one version with the repository of another.
    if (!template) throw new AppError('WRONG_STATE', 'The template has changed meanwhile. Try again.')
    const data = template.secrets.map(({ templateId, name, ...sealed }) => {
      const value = keyring.open(sealed, templateSecretPlace({ templateId, name }))
      if (value === null) throw unreadable(name)
      const place = { agentId, name, secret: true }
      const anew = keyring.seal(state.keyForWriting(keyId), placeOf(place), value)
      return { id: newId(), ...place, ...anew, setById: userId, setAt: new Date(clock.now()) }
    })
    await tx.agentVariable.createMany({ data })
  }

  /** An agent may not have more, so that its programs start. */
  async #checkSize(tx: Prisma.TransactionClient, templateId: string): Promise<void> {
    const [{ bytes } = { bytes: 0 }] = await tx.$queryRaw<{ bytes: number }[]>`
      SELECT COALESCE((SELECT SUM(octet_length(s."name") + octet_length(s."sealed")) FROM "AgentTemplateSecret" s
          WHERE s."templateId" = t."id"), 0)::int
        + octet_length(t."variables"::text) AS "bytes"
      FROM "AgentTemplate" t WHERE t."id" = ${templateId}::uuid`
    if (bytes > VARIABLES_BYTES)
      throw new AppError('VALIDATION', `body.variables: all of them may have ${VARIABLES_BYTES / 1024} KiB in total`)
  }
}

const unreadable = (name: string): AppError =>
  new AppError(
    'SECRET_KEY_MISMATCH',
    `The secret variable ${name} of the template cannot be read with this server's secret key. An admin has to set it again.`,
  )
