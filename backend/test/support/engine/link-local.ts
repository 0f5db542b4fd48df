/**
 * A link-local address outside this machine with a listener, like a cloud's metadata service. Only root can make it.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'

const PORT = 80
const LISTEN = `require('node:net')
  .createServer((socket) => socket.on('error', () => undefined).resume().end('hello'))
  .listen(${PORT}, () => console.log('listening'))`

export interface LinkLocal {
  /** This machine's own address on the link. */
  readonly near: string
  /** The address and port of the listener at the other end. */
  readonly beyond: string
  close(): Promise<void>
}

/** Makes a network namespace and a link to it. `close` removes both. */
export const openLinkLocal = async (): Promise<LinkLocal> => {
  const name = `slipway-${randomBytes(3).toString('hex')}`
  // Two test runs at the same time use different addresses. 169.254.169.254 may be in use on this machine.
  const link = `169.254.${randomInt(1, 169)}`
  const near = `${link}.1`
  const beyond = `${link}.2`
  const ip = (...argv: string[]): Buffer => execFileSync('ip', argv)
  ip('netns', 'add', name)
  try {
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('address', 'add', `${near}/30`, 'dev', name)
    ip('link', 'set', name, 'up')
    ip('-n', name, 'address', 'add', `${beyond}/30`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('-n', name, 'route', 'add', 'default', 'via', near)
  } catch (error) {
    ip('netns', 'delete', name)
    throw error
  }
  const listener = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', LISTEN], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(listener.stdout, 'data')
  return {
    near,
    beyond: `${beyond} ${PORT}`,
    close: async () => {
      const ended = once(listener, 'exit')
      listener.kill('SIGKILL')
      await ended
      ip('netns', 'delete', name)
    },
  }
}
