/** Routes that delete one thing of the caller. */
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Caller } from './caller.ts'
import { requireCaller } from './require-caller.ts'

/** The parameter of a path that ends with `:id`. An invalid id gets the same answer as a missing one. */
export const ById = Type.Object({ id: Type.String({ maxLength: 100 }) })

/** Where and what is deleted. */
interface Deletion {
  /** Ends with `/:id`. */
  readonly path: string
  readonly action: NonNullable<FastifyContextConfig['action']>
  readonly tags?: string[]
  readonly summary: string
  readonly description?: string
}

/** Adds `DELETE {path}`. The answer is 204, or what `remove` throws. */
export const addDeletion = (
  app: FastifyInstance,
  { path, action, ...documented }: Deletion,
  remove: (caller: Caller, id: string) => Promise<void>,
): void => {
  app.delete<{ Params: Type.Static<typeof ById> }>(
    path,
    { config: { action }, schema: { ...documented, params: ById, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await remove(requireCaller(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
