/** `slipway ports` */
import type { AgentPorts, OpenPort, PortTicket } from '@slipway/protocol'
import { EXIT, usage } from '../api/errors.ts'
import { command, wholeNumber } from '../arguments/command.ts'
import { table } from '../output/table.ts'

const PORT_MAX = 65_535

export const ports = command({
  name: 'ports',
  about: 'List the ports on which programs of an agent listen, or open one',
  positionals: [{ name: 'AGENT', kind: 'agent' }],
  options: {
    open: { type: 'string', value: 'PORT', about: 'Print an address that opens the port in one browser, once' },
    path: { type: 'string', value: 'PATH', about: 'The page to open; / by default' },
    json: { type: 'boolean', about: 'The ports, or the address, as JSON' },
  },
  run: async ({ arguments: [agent = ''], options }, { client, out, interrupted: signal }) => {
    const path = `/agents/${encodeURIComponent(agent)}/ports`
    const port = portOf(options.open)
    if (options.path !== undefined && port === undefined) throw usage('--path needs --open.')
    const server = await client()
    if (port !== undefined) {
      const body: OpenPort = options.path === undefined ? {} : { path: options.path }
      const ticket = await server.json<PortTicket>('POST', `${path}/${port}/tickets`, { body, signal })
      if (options.json === true) {
        out.json(ticket)
      } else {
        out.say(ticket.url)
        out.note('Open it within a minute. It lets one browser in.')
      }
      return EXIT.done
    }
    const listed = await server.json<AgentPorts>('GET', path, { signal })
    if (options.json === true) for (const item of listed.items) out.json(item)
    else if (listed.items.length === 0) out.note('No program listens.')
    else out.say(table(['PORT', 'ADDRESSES', 'SINCE', 'PROCESS'], listed.items.map(rowOf)))
    if (listed.unavailable !== null) out.note(listed.unavailable)
    return EXIT.done
  },
})

const portOf = (text: string | undefined): number | undefined => {
  const port = wholeNumber('open', text)
  if (port !== undefined && (port < 1 || port > PORT_MAX))
    throw usage(`--open takes a port from 1 to ${PORT_MAX}; ${port} is none.`)
  return port
}

const rowOf = ({ port, addresses, process }: AgentPorts['items'][number]): string[] => {
  const since = process?.startedAt
  return [String(port), addresses.join(', '), since ? `${since.slice(0, 19)}Z` : '', process?.command ?? '']
}
