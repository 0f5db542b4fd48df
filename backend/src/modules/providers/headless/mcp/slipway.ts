/** The platform's own tools, as a CLI in an agent reaches them. */
import type { McpServer } from './server.ts'

/** A program of the image, which speaks to the agent's relay. It has no secret. */
export const SLIPWAY_TOOLS: McpServer = {
  name: 'slipway',
  transport: { kind: 'stdio', command: '/usr/local/bin/slipway-tools', args: [], env: {} },
}
