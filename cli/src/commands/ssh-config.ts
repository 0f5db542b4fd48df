/** `slipway ssh-config` */
import type { Agent, SshServer, SshServerAddress } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { EXIT, SlipwayError } from '../api/errors.ts'
import { unexpected } from '../api/failures.ts'
import { command } from '../arguments/command.ts'
import { allAgents } from './agents.ts'

export const sshConfig = command({
  name: 'ssh-config',
  about: 'Print the lines for ~/.ssh/config that lead to your agents, or to one',
  positionals: [{ name: 'AGENT', kind: 'agent', optional: true }],
  options: {
    'known-hosts': { type: 'boolean', about: 'Print the line for ~/.ssh/known_hosts in place of them' },
    json: { type: 'boolean', about: 'The address and the names of the agents as JSON' },
  },
  run: async ({ arguments: [agent], options }, { client, out, interrupted }) => {
    const server = await client()
    const { address } = await server.json<SshServer>('GET', '/ssh', { signal: interrupted })
    if (address === null) throw sshIsOff()
    if (options['known-hosts'] === true) {
      out.say(oneLine(address.knownHosts))
      return EXIT.done
    }
    const names = await namesOf(server, agent, interrupted)
    if (options.json === true) out.json({ ...address, agents: names })
    else if (names.length === 0) out.note('There are no agents that you may use.')
    else out.say(configOf(names, address))
    return EXIT.done
  },
})

/** Its exit code is that of a state that is in the way. */
const sshIsOff = (): SlipwayError =>
  new SlipwayError('WRONG_STATE', 'SSH is off on this server. Its operator turns it on with SLIPWAY_SSH_PORT.', {
    statusCode: 409,
  })

const namesOf = async (server: Client, agent: string | undefined, signal: AbortSignal): Promise<string[]> => {
  const agents =
    agent === undefined
      ? await allAgents(server, signal)
      : [await server.json<Agent>('GET', `/agents/${encodeURIComponent(agent)}`, { signal })]
  return agents.map(({ name }) => name)
}

/** The lines for these agents, and in a comment how to know the server. */
export const configOf = (names: readonly string[], { host, port, fingerprint }: SshServerAddress): string => {
  const head = `# The key of the server is ${oneLine(fingerprint)}. "slipway ssh-config --known-hosts" prints its line.`
  const blocks = names.map((name) =>
    [
      `Host ${word(name)}.slipway`,
      `  HostName ${word(host)}`,
      `  Port ${word(String(port))}`,
      `  User ${word(name)}`,
    ].join('\n'),
  )
  return [head, ...blocks].join('\n\n')
}

/** A line of `~/.ssh/config` may run a program, so nothing of an answer begins a line of its own. */
const word = (text: string): string => {
  if (!/^[\w:][\w.:-]*$/.test(text)) throw unexpected(200)
  return text
}

const oneLine = (text: string): string => {
  if (!/^[\x20-\x7e]+$/.test(text)) throw unexpected(200)
  return text
}
