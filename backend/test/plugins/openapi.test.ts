import { ERROR_STATUS, type ErrorCode } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { OWN_ERRORS } from '../../src/plugins/openapi/route-errors.ts'
import { RouteCollector } from '../rights/routes.ts'
import { useApp } from '../support/server/app.ts'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}
interface Document {
  readonly openapi: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const collector = new RouteCollector()
const server = useApp()
let document: Document
let operations: Map<string, Operation>

beforeAll(async () => {
  collector.stop()
  document = (await server().app.inject('/docs/json')).json<Document>()
  operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )
})

/** `GET /api/agents/:name` as the description writes it. */
const described = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}')

describe('the description of the API', () => {
  it('has every route, and none that is not there', () => {
    const routes = collector.routes.filter((route) => / \/api\//.test(route) && !route.startsWith('WS '))
    expect([...operations.keys()].sort()).toEqual(routes.map(described).sort())
    expect(routes.length).toBeGreaterThan(30)
  })

  it('says of each what it is, and gives it a name of its own', () => {
    for (const [route, { summary, tags }] of operations) {
      expect({ route, summary }).toEqual({ route, summary: expect.stringMatching(/^[A-Z].{2,}[^.]$/) as string })
      expect({ route, tags: tags?.length }).toEqual({ route, tags: 1 })
    }
    const ids = [...operations.values()].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(operations.size)
  })

  it('declares every group, each with a sentence, and none that has no route', () => {
    const used = new Set([...operations.values()].flatMap(({ tags = [] }) => tags))
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort())
    for (const { description } of document.tags) expect(description).toMatch(/^[A-Z].{10,}\.$/)
  })

  it('begins with what a newcomer needs: signing in, tokens, agents', () => {
    expect(document.tags.slice(0, 3).map(({ name }) => name)).toEqual(['auth', 'tokens', 'agents'])
  })

  it('has each part of an address as a parameter', () => {
    for (const [route, { parameters = [] }] of operations) {
      const named = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect({ route, declared: declared.sort() }).toEqual({ route, declared: named.sort() })
    }
  })

  it('says for which a token is needed, and what is answered without one', () => {
    for (const [route, { security, responses }] of operations)
      if (security?.length === 0) expect({ route, answers: Object.keys(responses) }).not.toContain('403')
      else
        expect({ route, answers: Object.keys(responses) }).toMatchObject({
          answers: expect.arrayContaining(['401', '403']) as string[],
        })
  })

  it('has every error code, each with its status', () => {
    const said = new Set<string>()
    for (const { responses } of operations.values())
      for (const [status, { description = '' }] of Object.entries(responses))
        for (const [, code = ''] of description.matchAll(/`([A-Z_]+)`/g)) {
          expect([code, ERROR_STATUS[code as ErrorCode]]).toEqual([code, Number(status)])
          said.add(code)
        }
    expect([...said].sort()).toEqual(Object.keys(ERROR_STATUS).sort())
  })

  it('speaks of no route’s errors that is not there', () => {
    expect(Object.keys(OWN_ERRORS).filter((route) => !operations.has(described(route)))).toEqual([])
  })

  it('has the schemas that have a name in the code under it', () => {
    const names = Object.keys(document.components.schemas)
    expect(names).toEqual(expect.arrayContaining(['Agent', 'CreateAgent', 'ExecBody', 'ExecResult', 'User']))
    expect(JSON.stringify(document.paths)).toContain('{"$ref":"#/components/schemas/Agent"}')
  })
})
