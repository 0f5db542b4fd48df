/** The MCP servers that a task's CLI gets from the platform. */

/** How to reach an MCP server. All values are final; they may be secret. */
export type McpTransport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** An MCP server by its name, which is validated: `[a-z0-9-]`. */
export interface McpServer {
  readonly name: string
  readonly transport: McpTransport
}
