/** The limit: the engine's own TTY exec, read from its raw socket with nothing between. */
import { docker } from '../harness/engine.ts'
import { type Channel, Inbox } from './channel.ts'

export interface ExecTarget {
  readonly containerId: string
  /** `none`: without a terminal, as the engine is quickest. */
  readonly terminal?: 'none'
}

/** What the platform starts for the mode `bash`, with the environment that it gives. */
export const PROGRAM = ['/bin/bash', '--login']
export const ENVIRONMENT = ['TERM=xterm-256color', 'COLORTERM=truecolor', 'LANG=C.UTF-8']
export const USER = '1000:1000'
export const FOLDER = '/home/developer'

export const openExec = async ({ containerId, terminal }: ExecTarget): Promise<Channel> => {
  const Tty = terminal !== 'none'
  const exec = await docker.getContainer(containerId).exec({
    Cmd: PROGRAM,
    Env: ENVIRONMENT,
    User: USER,
    WorkingDir: FOLDER,
    Tty,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  })
  const socket = await exec.start({ hijack: true, stdin: true, Tty })
  const inbox = new Inbox()
  // Without a terminal there is a header of 8 bytes before each piece, which is short where only keys are echoed.
  socket.on('data', (chunk: Buffer) => inbox.take(Tty ? chunk : chunk.subarray(8)))
  return {
    write: (data) => void socket.write(data),
    onData: inbox.listen,
    // Its program lives on, as the engine has it; it goes with the container.
    close: async () => void socket.destroy(),
  }
}
