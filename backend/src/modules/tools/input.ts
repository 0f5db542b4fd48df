/** What a tool takes, as the SDK wants it: a schema for the model, and a check. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { Static, TObject } from 'typebox'
import Value from 'typebox/value'
import { describeErrors } from '../../plugins/validation.ts'

/** `texts` tell the model what each field is for. */
export const toolInput = <S extends TObject>(
  schema: S,
  texts: Readonly<Record<keyof S['properties'], string>>,
): StandardSchemaWithJSON<Static<S>> => {
  // Plain JSON: the marks of TypeBox are lost.
  const told = Object.entries<string>(texts).map(([name, description]) => [
    name,
    { ...schema.properties[name], description },
  ])
  const listed = Object.fromEntries([...Object.entries(schema), ['properties', Object.fromEntries(told)]])
  return {
    '~standard': {
      version: 1,
      vendor: 'slipway',
      jsonSchema: { input: () => listed, output: () => listed },
      validate: (value) =>
        Value.Check(schema, value)
          ? { value }
          : { issues: [{ message: describeErrors(Value.Errors(schema, value), 'arguments') }] },
    },
  }
}
