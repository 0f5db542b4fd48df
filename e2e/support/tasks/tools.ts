/** A client of `/api/mcp`, as other AIs have one. */
import {
  type CallToolResult,
  Client as McpClient,
  type Progress,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Client } from '../api.ts'

/** The protocol's revisions: 2025-11-25 shakes hands, 2026-07-28 does not. */
export const GENERATIONS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const
export type Generation = keyof typeof GENERATIONS

/** Connects with the client's token. Close the answer. */
export const connectTools = async (
  { baseUrl, token }: Pick<Client, 'baseUrl' | 'token'>,
  generation: Generation = '2026-07-28',
): Promise<McpClient> => {
  const client = new McpClient(
    { name: 'slipway-tests', version: '0' },
    { versionNegotiation: { mode: GENERATIONS[generation] } },
  )
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/api/mcp`), { requestInit }))
  return client
}

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

export const answerOf = ({ content, isError = false }: CallToolResult): ToolAnswer => ({
  text: content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'),
  isError,
})

/** Calls a tool with the time limit of many clients, in milliseconds. */
export const callTool = async (
  client: McpClient,
  name: string,
  args: Record<string, unknown> = {},
  onprogress?: (progress: Progress) => void,
): Promise<ToolAnswer> => {
  const options = { timeout: 60_000, ...(onprogress ? { onprogress } : {}) }
  return answerOf(await client.callTool({ name, arguments: args }, options))
}

/** The id of the task that an answer is about. */
export const taskIn = ({ text }: ToolAnswer): string => {
  const id = /^Task (\S+) /.exec(text)?.[1]
  if (id === undefined) throw new Error(`no task in: ${text}`)
  return id
}
