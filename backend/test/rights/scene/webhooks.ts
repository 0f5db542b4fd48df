/** Webhooks that are stored, outgoing and incoming. There are only a few, so that the walk's own may be created. */
import { randomUUID } from 'node:crypto'
import type { Person } from '../../support/people/people.ts'
import type { World } from './world.ts'

/** An outgoing webhook of a user or of the platform, with one delivery that is over. */
export const storedWebhook = async (
  world: World,
  user: Person,
  ofPlatform: boolean,
): Promise<{ readonly id: string; readonly deliveryId: string }> => {
  const { webhook, webhookDelivery } = world.database.prisma
  const userId = ofPlatform ? null : user.id
  await webhook.deleteMany({ where: { userId } })
  const data = { ...hook(world, user), userId, kinds: ['task.ended'], withText: false }
  const { id, createdAt } = await webhook.create({ data })
  const over = { webhookId: id, kind: 'test', body: '{}', state: 'failed', createdAt }
  const { id: deliveryId } = await webhookDelivery.create({ data: { id: randomUUID(), ...over } })
  return { id, deliveryId }
}

/** An incoming webhook of a user that starts tasks in an agent. */
export const storedIncomingHook = async (world: World, user: Person, agentName: string): Promise<string> => {
  const { incomingHook, agent } = world.database.prisma
  const { id: agentId } = await agent.findUniqueOrThrow({ where: { name: agentName } })
  await incomingHook.deleteMany({ where: { userId: user.id } })
  const what = { agentId, source: 'github', events: [], prompt: 'hi' }
  return (await incomingHook.create({ data: { ...hook(world, user), userId: user.id, ...what } })).id
}

const hook = ({ clock }: World, user: Person) => {
  const at = new Date(clock.now())
  const sealed = { sealed: new Uint8Array(), keyId: '' }
  const of = { id: randomUUID(), via: 'user', viaId: user.id, name: 'To go', enabled: true }
  return { ...of, ...sealed, createdAt: at, updatedAt: at }
}
