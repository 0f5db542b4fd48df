/** The limit: the engine's own TTY exec, read from its raw socket. */
import { docker } from '../harness/engine.ts'
import { type Channel, Inbox } from './channel.ts'

export interface ExecTarget {
  readonly containerId: string
  /** `none`: without a terminal, which is the engine's fastest way. */
  readonly terminal?: 'none'
}

/** The program that the platform starts for the mode `bash`, with its environment. */
export const PROGRAM = ['/bin/bash', '--login']
export const ENVIRONMENT = ['TERM=xterm-256color', 'COLORTERM=truecolor', 'LANG=C.UTF-8']
export const FOLDER = '/home/developer'

export const openExec = async ({ containerId, terminal }: ExecTarget): Promise<Channel> => {
  const Tty = terminal !== 'none'
  const exec = await docker.getContainer(containerId).exec({
    Cmd: PROGRAM,
    Env: ENVIRONMENT,
    WorkingDir: FOLDER,
    Tty,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  })
  const socket = await exec.start({ hijack: true, stdin: true, Tty })
  const inbox = new Inbox()
  // Without a terminal each piece has a header of 8 bytes. An echoed key is a short piece of its own.
  socket.on('data', (chunk: Buffer) => inbox.take(Tty ? chunk : chunk.subarray(8)))
  return {
    write: (data) => void socket.write(data),
    onData: inbox.listen,
    // The engine keeps the program running. It ends with the container.
    close: async () => void socket.destroy(),
  }
}
