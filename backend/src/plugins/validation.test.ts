import * as protocol from '@slipway/protocol'
import fastJson from 'fast-json-stringify'
import { Compile } from 'typebox/compile'
import { IsSchema, type TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'

/** Any object would do as a schema, but those of the protocol have a kind. */
const isSchema = (value: unknown): value is TSchema => IsSchema(value) && '~kind' in value
const schemas = Object.entries<unknown>(protocol).filter((entry): entry is [string, TSchema] => isSchema(entry[1]))

describe('the schemas of the protocol', () => {
  // The server compiles a schema only when it is used first, and so would find a fault late.
  it('compile, as a validator and as a serializer', () => {
    expect(schemas.length).toBeGreaterThan(200)
    for (const [name, schema] of schemas)
      expect(() => [Compile(schema), fastJson(structuredClone(schema))], name).not.toThrow()
  })
})
