/** Recordings that are stored, with their files. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

/** A recording of the owner in an agent with its file, shared with all users of the agent. Its id is the answer. */
export const storedRecording = async (
  { database, clock, dataDir, owner }: World,
  agentName: string,
): Promise<string> => {
  const { prisma } = database
  const id = randomUUID()
  const agent = await prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
  const { id: userId, email } = owner
  const at = new Date(clock.now())
  const ended = { startedAt: at, endedAt: at, state: 'complete', shared: true } as const
  await prisma.recording.create({ data: { id, agentId: agent.id, userId, email, mode: 'bash', ...ended } })
  mkdirSync(join(dataDir, 'recordings'), { recursive: true })
  writeFileSync(join(dataDir, 'recordings', `${id}.cast`), '{"version":3}\n')
  return id
}
