/** The limit: the engine's own TTY exec, read from its raw socket with nothing between. */
import { docker } from '../harness/engine.ts'
import { type Channel, Inbox } from './channel.ts'

export interface ExecTarget {
  readonly containerId: string
}

/** What the platform starts for the mode `bash`, with the environment that it gives. */
export const PROGRAM = ['/bin/bash', '--login']
export const ENVIRONMENT = ['TERM=xterm-256color', 'COLORTERM=truecolor', 'LANG=C.UTF-8']
export const USER = '1000:1000'
export const FOLDER = '/home/developer'

export const openExec = async ({ containerId }: ExecTarget): Promise<Channel> => {
  const exec = await docker.getContainer(containerId).exec({
    Cmd: PROGRAM,
    Env: ENVIRONMENT,
    User: USER,
    WorkingDir: FOLDER,
    Tty: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  })
  const socket = await exec.start({ hijack: true, stdin: true, Tty: true })
  const inbox = new Inbox()
  socket.on('data', inbox.take)
  return {
    write: (data) => void socket.write(data),
    onData: inbox.listen,
    // Its program lives on, as the engine has it; it goes with the container.
    close: async () => void socket.destroy(),
  }
}
