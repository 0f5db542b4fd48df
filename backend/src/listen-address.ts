/** The address to listen on: whether it is free, and if not, why, in one sentence that names the variable. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The server cannot listen on its address. The message names the variable. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens there for a moment. A start that cannot succeed thus ends before it touches an agent. Throws {@link
 * AddressError}.
 */
export async function checkAddress(address: Address, variable?: string): Promise<void> {
  const probe = createServer((socket) => socket.destroy())
  try {
    probe.listen({ ...address, exclusive: true })
    await once(probe, 'listening')
  } catch (error) {
    throw addressError(address, error, variable)
  }
  probe.close()
  await once(probe, 'close')
}

/** Explains an error of listening to the operator. `variable` is the one that names the port. */
export function addressError({ host, port }: Address, cause: unknown, variable = 'SLIPWAY_PORT'): AddressError {
  const where = `port ${port} of ${host}`
  const { code } = cause as NodeJS.ErrnoException
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${variable}: another program listens on ${where}`,
    EACCES: `${variable}: this user may not listen on port ${port}: choose one from 1024 on`,
    EADDRNOTAVAIL: `SLIPWAY_HOST: this machine does not have the address ${host}`,
    ENOTFOUND: `SLIPWAY_HOST: there is no address for the name ${host}`,
    EAI_AGAIN: `SLIPWAY_HOST: there is no address for the name ${host}`,
  }
  const otherwise = `SLIPWAY_HOST and ${variable}: the server cannot listen on ${where}: ${code ?? String(cause)}`
  return new AddressError(sentences[code ?? ''] ?? otherwise, { cause })
}

/** Whether an error comes from listening, not from another part of the start. */
export const isListenError = (error: unknown): boolean => {
  const { syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo'
}
