/** Validates requests with the protocol's own schemas. A body is not converted; queries and paths are. */
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import type { FastifySchemaValidationError } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../lib/errors.ts'

/** Most complaints in one answer, however many fields are wrong. */
const MAX_COMPLAINTS = 5

/** Compiles schemas, and turns their complaints into one `VALIDATION` error that names the fields. */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler(TypeBoxValidatorCompiler)
    app.setSchemaErrorFormatter((errors, part) => new AppError('VALIDATION', describe(errors, part)))
  },
  { name: 'validation', fastify: '5.x' },
)

/** One sentence such as "body: unknown field color; body.email must match format "email"". */
function describe(errors: readonly FastifySchemaValidationError[], part: string): string {
  const sentences = errors.flatMap((error) => {
    const field = part + error.instancePath.replaceAll('/', '.')
    switch (error.keyword) {
      // `additionalProperties` reports it better.
      case 'boolean':
        return []
      case 'additionalProperties':
        return [`${field}: unknown field ${list(error.params['additionalProperties'])}`]
      case 'required':
        return [`${field}: missing ${list(error.params['requiredProperties'])}`]
      default:
        return [`${field} ${error.message ?? 'is not valid'}`]
    }
  })
  return [...new Set(sentences)].slice(0, MAX_COMPLAINTS).join('; ') || `${part} is not valid`
}

/** Names are the client's own text: a few of them, each cut. */
function list(names: unknown): string {
  if (!Array.isArray(names)) return 'field'
  return names
    .slice(0, MAX_COMPLAINTS)
    .map((name) => String(name).slice(0, 64))
    .join(', ')
}
