/** Requests are checked with the protocol's own schemas; a body is taken as it is, and only queries and paths are converted. */
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import type { FastifySchemaValidationError } from 'fastify'
import fp from 'fastify-plugin'
import { AppError } from '../lib/errors.ts'

/** Most complaints in one answer: a body of a thousand wrong fields need not be told a thousand things. */
const MAX_COMPLAINTS = 5

/** Compiles schemas, and turns what they find into one `VALIDATION` error that names the fields. */
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
      // Said again, and better, by "additionalProperties".
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

/** Names are the client's own text: a few of them, and not at any length. */
function list(names: unknown): string {
  if (!Array.isArray(names)) return 'field'
  return names
    .slice(0, MAX_COMPLAINTS)
    .map((name) => String(name).slice(0, 64))
    .join(', ')
}
