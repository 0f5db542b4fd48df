/** An agent whose files the tests transfer, over real connections. */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { beforeAll } from 'vitest'
import { IMAGE, type TestEngine, useEngine } from './engine.ts'
import type { Person } from '../people/people.ts'
import { as, newAgent, type Team, useTeam } from '../people/team.ts'

/** What a test of the transfers needs. The owner makes each request unless a person is named. */
export interface Transfers extends Pick<TestEngine, 'docker' | 'runtime'> {
  team(): Team
  owner: ReturnType<typeof as>
  baseUrl(): string
  /** The port at which the server listens, for raw requests. */
  port(): number
  containerId(): string
  /** What `sh -c` prints in the agent. */
  sh(script: string): Promise<string>
  filesUrl(path: string): string
  get(path: string, person?: Person): Promise<Response>
  /** `more` is appended to the query. */
  put(path: string, body: Buffer | string, person?: Person, more?: string): Promise<Response>
  /** The head of a raw upload, since `fetch` cannot stop halfway. */
  uploadHead(path: string, size: number, person?: Person): string
  /** The unfinished uploads in the home. */
  drafts(): Promise<string>
}

/** The code of a refusal. */
export const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code

export const sha256 = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}

/** Call it at the top of a test file. The agent `files` is shared with the colleague, and exists only inside of tests. */
export const useTransfers = (): Transfers => {
  const { docker, runtime, namespace } = useEngine()
  const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
  const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
  let containerId = ''
  const port = (): number => (team().app.server.address() as AddressInfo).port
  const baseUrl = (): string => `http://127.0.0.1:${port()}`

  beforeAll(async () => {
    await team().app.listen({ port: 0, host: '127.0.0.1' })
    await owner('POST /agents?wait=true', newAgent('files'))
    await owner('POST /agents/files/shares', { email: team().colleague.email })
    const [container] = await docker.listContainers({ filters: { name: [`${namespace}-agent-files`] } })
    containerId = container?.Id ?? ''
  })

  const sh = async (script: string): Promise<string> => {
    const argv = ['sh', '-c', script]
    const { stdout } = await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 10_000 })
    return stdout.toString()
  }
  const filesUrl = (path: string): string => `${baseUrl()}/api/agents/files/files?path=${encodeURIComponent(path)}`
  return {
    docker,
    runtime,
    team,
    owner,
    baseUrl,
    port,
    containerId: () => containerId,
    sh,
    filesUrl,
    get: (path, person = team().owner) =>
      fetch(filesUrl(path), { headers: { authorization: `Bearer ${person.token}` } }),
    put: (path, body, person = team().owner, more = '') =>
      fetch(`${filesUrl(path)}${more}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/octet-stream' },
        body: Uint8Array.from(Buffer.from(body)),
      }),
    uploadHead: (path, size, person = team().owner) =>
      [
        `PUT /api/agents/files/files?path=${path} HTTP/1.1`,
        'host: x',
        `authorization: Bearer ${person.token}`,
        'content-type: application/octet-stream',
        `content-length: ${size}`,
        '\r\n',
      ].join('\r\n'),
    drafts: () => sh('find ~ -name ".slipway-upload-*"'),
  }
}
