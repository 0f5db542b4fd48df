/** The form of the rows, and rows that are the same for several owners. */
import { randomUUID } from 'node:crypto'
import type { Scene } from '../scene/scene.ts'

/** A status. An error's code, if the status alone is ambiguous. Or the answer of a socket. */
export type Answer = number | string

/**
 * The scope that an API token needs. With it the token has all rights of its owner, and without it none (403). `any`:
 * any scope is enough. `none`: no scope is enough. `public`: the route does not check the caller.
 */
export type Needs =
  | 'public'
  | 'any'
  | 'none'
  | 'agents:read'
  | 'agents:write'
  | 'terminal'
  | 'tasks:read'
  | 'tasks:write'
  | 'users:admin'
  | 'metrics:read'
  /** One of the scopes is enough. */
  | 'agents:read|tasks:read'
  /** Both scopes. */
  | 'agents:write terminal'
  | 'tasks:write terminal'
  | 'tasks:read tasks:write'

/** What a request contains, besides the address with its parameters. */
export interface Asking {
  readonly body?: (scene: Scene) => object | Promise<object>
  readonly query?: string
  /** The address's first parameter, and `{target}` in `query`. By default it is the agent's name. */
  readonly target?: (scene: Scene) => string | Promise<string>
  /** The request changes the agent for later callers, so each caller gets an agent of its own. */
  readonly ownAgent?: true
  /** The answer goes on until the client closes it. */
  readonly endless?: true
}

/** The route, the scope that a token needs, and the answers to nobody, a stranger, a sharee, the owner, an admin. */
export type Row = readonly [
  route: string,
  needs: Needs,
  answers: readonly [nobody: Answer, stranger: Answer, sharee: Answer, owner: Answer, admin: Answer],
  asking?: Asking,
]

/** The request changes the agent for later callers. */
export const ownAgent = { ownAgent: true } as const
/** A variable of an agent. */
export const variable = { body: () => ({ value: 'of the walk', secret: true }) }
/** An API token that no caller has. */
export const unknownToken = { body: () => ({ tokenId: randomUUID() }) }
/** What the owner of an agent chooses about worktrees. */
export const worktreeSettings = { body: () => ({ mode: 'auto', root: 'trees', setup: null }) }
/** A git token for a host. */
export const credential = { body: () => ({ value: 'glpat-of-the-walk', address: 'https://git.example.org' }) }

/** Rows that set, switch and remove a connector of one owner. A caller may do all three or none. */
export const connectorRows = (path: string, scope: Needs, refusals: readonly number[], more: Partial<Asking>): Row[] =>
  (
    [
      ['PUT', 200, { body: () => ({ kind: 'http', url: 'https://mcp.example.org/' }) }],
      ['PATCH', 200, { body: () => ({ enabled: false }) }],
      ['DELETE', 204, {}],
    ] as const
  ).map(([method, answer, body]) => {
    const [nobody = answer, stranger = answer, sharee = answer, owner = answer, admin = answer] = refusals
    return [`${method} ${path}/:connector`, scope, [nobody, stranger, sharee, owner, admin], { ...body, ...more }]
  })

/** Rows that set, test and remove a credential of one owner. A caller may do all three or none. */
export const credentialRows = (
  path: string,
  refusals: readonly number[],
  target: NonNullable<Asking['target']>,
): Row[] =>
  (
    [
      ['PUT', '', 200],
      ['POST', '/test', 200],
      ['DELETE', '', 204],
    ] as const
  ).map(([method, end, answer]) => {
    const [nobody = answer, stranger = answer, sharee = answer, owner = answer, admin = answer] = refusals
    return [
      `${method} ${path}/:kind${end}`,
      'none',
      [nobody, stranger, sharee, owner, admin],
      { ...credential, target },
    ]
  })

/** A search in the files of the home. */
export const search: Asking = { query: 'path=~', body: () => ({ pattern: 'canary' }) }
