/** Validates requests with the schemas of the protocol. It converts types in queries and paths, never in bodies. */
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaValidationError } from 'fastify'
import fp from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { AppError } from '../lib/errors.ts'

/** Most errors that one answer lists, and most names in one of them. */
const MAX_ERRORS = 5

/** Compiles when it is used first. All schemas together take a third of the CPU time of a start. */
const lazily = <Answer>(compile: () => (value: unknown) => Answer): ((value: unknown) => Answer) => {
  let compiled: ((value: unknown) => Answer) | undefined
  return (value) => (compiled ??= compile())(value)
}

/** Compiles a schema once for all routes that have it. For each route alone it takes several times as long. */
const oncePerSchema = <Answer>(compile: (schema: TSchema) => (value: unknown) => Answer) => {
  const known = new WeakMap<object, (value: unknown) => Answer>()
  return (schema: TSchema): ((value: unknown) => Answer) => {
    const one = known.get(schema) ?? lazily(() => compile(schema))
    known.set(schema, one)
    return one
  }
}

const serializerOf = oncePerSchema((schema) => fastJson(schema))
const validatorOfPart = (httpPart: 'body' | 'querystring') =>
  oncePerSchema((schema) => TypeBoxValidatorCompiler({ schema, httpPart, method: '', url: '' }))
/** The fields of a body have types. Those of all other parts are text, and are converted. */
const [validatorOfBody, validatorOfText] = [validatorOfPart('body'), validatorOfPart('querystring')]

/** Compiles schemas, and turns the errors of a request into one `VALIDATION` error that names the fields. */
export const validationPlugin = fp(
  async (app) => {
    app.setValidatorCompiler<TSchema>(({ schema, httpPart }) =>
      httpPart === 'body' ? validatorOfBody(schema) : validatorOfText(schema),
    )
    app.setSerializerCompiler<TSchema>(({ schema }) => serializerOf(schema))
    app.setSchemaErrorFormatter((errors, part) => new AppError('VALIDATION', describeErrors(errors, part)))
  },
  { name: 'validation', fastify: '5.x' },
)

/** One sentence such as "body: unknown field color; body.email must match format "email"". */
export function describeErrors(errors: readonly FastifySchemaValidationError[], part: string): string {
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
  return [...new Set(sentences)].slice(0, MAX_ERRORS).join('; ') || `${part} is not valid`
}

/** A list of field names. They are the client's text, so their number and their length are limited. */
function list(names: unknown): string {
  if (!Array.isArray(names)) return 'field'
  return names
    .slice(0, MAX_ERRORS)
    .map((name) => String(name).slice(0, 64))
    .join(', ')
}
