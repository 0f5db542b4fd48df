/** All commands, in the order of the help. */
import type { Command } from '../arguments/command.ts'
import { agents } from './agents.ts'
import { answer } from './answer.ts'
import { attach } from './attach.ts'
import { chat } from './chat.ts'
import { completion } from './completion.ts'
import { cp } from './cp.ts'
import { exec } from './exec.ts'
import { login, logout } from './login.ts'
import { logs } from './logs.ts'
import { ports } from './ports.ts'
import { run } from './run.ts'
import { runs } from './runs.ts'
import { sshConfig } from './ssh-config.ts'

export const commands: readonly Command[] = [
  ...[login, logout, agents, attach, chat, run, runs, answer],
  ...[logs, cp, exec, ports, sshConfig, completion],
]
