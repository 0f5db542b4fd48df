/**
 * A server to compare requests with. It is of the same kind, has a copy of the same embedded database, and its routes
 * make the product's queries and nothing else. It exists for measurements and is not part of the product.
 *
 * Its only argument is the data folder. It sends its address once it listens, and ends with its parent.
 */
import Fastify from 'fastify'
import { systemClock } from '../../src/lib/time/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { AgentRepository } from '../../src/modules/agents/repository.ts'
import { PLATFORM } from '../../src/modules/audit/actor.ts'
import { type Audit, createAudit } from '../../src/modules/audit/audit.ts'
import { openDatabase } from '../../src/database/open.ts'

/** An audit log that records nothing, so that only the act is measured. */
const nobody: Audit = { record: async () => undefined, recordNow: async () => undefined }

/** The query as it arrives, unchecked. */
interface ListQuery {
  readonly userId: string
  readonly limit: string
}

const dataDir = process.argv[2]
if (dataDir === undefined) throw new Error('the data folder is missing')
const { prisma } = await openDatabase({ url: null, dataDir, log: silentLog })
const audit = createAudit({ prisma, clock: systemClock, newId: createIds(systemClock), log: silentLog })
const repositories = {
  with: new AgentRepository(prisma, audit, 'slipway'),
  without: new AgentRepository(prisma, nobody, 'slipway'),
}
const { without: agents } = repositories
let bare = Buffer.alloc(0)
let acts = 0

const server = Fastify({ bodyLimit: 2 ** 24 })
server.get<{ Querystring: ListQuery }>('/query/agents', ({ query }) =>
  agents.list({ userId: query.userId, isAdmin: false }, { limit: Number(query.limit), after: null }),
)
server.get<{ Params: { name: string }; Querystring: ListQuery }>('/query/agents/:name', ({ params, query }) =>
  agents.find(params.name, { userId: query.userId, isAdmin: false }),
)
server.put('/bare', async ({ body }) => {
  bare = Buffer.from(JSON.stringify(body))
  return {}
})
server.get('/bare', (_request, reply) => reply.type('application/json').send(bare))
server.post<{ Params: { audit: keyof typeof repositories; id: string } }>('/act/:audit/:id', ({ params }) => {
  acts += 1
  return repositories[params.audit].update(params.id, { model: `model-${acts}` }, PLATFORM)
})
const address = await server.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send?.(address)
