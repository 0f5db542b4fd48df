/** Codex takes MCP servers for one run only as arguments, so their values travel in variables that the arguments name. */
import type { HeadlessProgram } from '../headless.ts'
import type { McpServer, McpTransport } from '../mcp/server.ts'

/** Gives a server variables of Codex under other names: NAME from FROM, NAME from FROM, ..., `--`, its program. */
const RENAME = 'while [ "$1" != -- ]; do eval "export $1=\\"\\$$2\\"; unset $2"; shift 2; done; shift; exec "$@"'

/**
 * Codex writes all of its variables into a file of the home, for the shells that it starts (`~/.codex/shell_snapshots`), and
 * leaves it if it is killed.
 */
const NO_SNAPSHOT = ['-c', 'features.shell_snapshot=false'] as const

/** How long Codex waits for a server, in seconds. Its own 10 are too few for a program that is installed at its start. */
const STARTUP_SECONDS = 60

/** A text in TOML, whose escapes are those of JSON. JSON leaves only DEL as it is. */
const text = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f')
const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`
const table = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${text(name)} = ${value}`)
    .join(', ')}}`

/** The arguments and variables for these servers. */
export const serverSettings = (servers: readonly McpServer[] = []): Pick<HeadlessProgram, 'argv' | 'env'> => {
  if (servers.length === 0) return { argv: [], env: {} }
  const env: Record<string, string> = {}
  /** The name of the variable for a value. */
  const variableFor = (value: string): string => {
    const name = `SLIPWAY_CONNECTOR_${Object.keys(env).length}`
    env[name] = value
    return name
  }
  const settings = servers.flatMap(({ name, transport }) => [
    '-c',
    `mcp_servers.${name}=${transport.kind === 'http' ? httpTable(transport, variableFor) : stdioTable(transport, variableFor)}`,
  ])
  return { argv: [...NO_SNAPSHOT, ...settings], env }
}

const startup = { startup_timeout_sec: String(STARTUP_SECONDS) }

type Of<K extends McpTransport['kind']> = Extract<McpTransport, { kind: K }>

const httpTable = ({ url, headers }: Of<'http'>, variableFor: (value: string) => string): string => {
  const names = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(variableFor(value))]))
  return table({ url: text(url), env_http_headers: table(names), ...startup })
}

const stdioTable = ({ command, args, env }: Of<'stdio'>, variableFor: (value: string) => string): string => {
  const names = Object.entries(env).map(([name, value]) => [name, variableFor(value)] as const)
  const argv = ['-c', RENAME, 'slipway-connector', ...names.flat(), '--', command, ...args]
  return table({
    command: text('/bin/sh'),
    args: list(argv),
    env_vars: list(names.map(([, variable]) => variable)),
    ...startup,
  })
}
