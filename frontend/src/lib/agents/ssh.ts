import type { SshServerAddress } from '@slipway/protocol'

/** The name by which the user's own `ssh` knows an agent. It leads nowhere without the lines in `~/.ssh/config`. */
export const sshHostOf = (agentName: string): string => `${agentName}.slipway`

/** The lines of an agent for `~/.ssh/config`. */
export const sshConfigOf = (agentName: string, { host, port }: SshServerAddress): string =>
  [`Host ${sshHostOf(agentName)}`, `  HostName ${host}`, `  Port ${port}`, `  User ${agentName}`].join('\n')

/** The comment of a public key, which mostly names the machine that has it. Empty without one. */
export const commentOf = (line: string): string => /^\S+\s+\S+\s+(\S[^\r\n]*)/.exec(line.trim())?.[1]?.trim() ?? ''
