/** The client process. It runs one call at a time for its parent. */
import type { Channel } from './channel.ts'
import { churn, type ChurnTargets } from './churn.ts'
import { typeInTurns } from './echo.ts'
import { type ExecTarget, openExec } from './exec.ts'
import { delaysOfFollowed, follow, followedSince, type FollowTarget, unfollow } from './follow.ts'
import { hold, type HoldTarget, release } from './hold.ts'
import { leaveAll, listenAll, type ListenTarget } from './listen.ts'
import { askPort, downloadPort, echoPort, type PortTarget } from './ports.ts'
import { promptThroughCli, promptThroughExec, promptThroughTerminal } from './prompt.ts'
import { type Endpoint, saturate } from './saturate.ts'
import { repaint } from './repaint.ts'
import { type Person, signInInTurns } from './sign-ins.ts'
import { soak } from './soak.ts'
import { countStreams, startStreams, stopStreams } from './stream.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'
import { transfer } from './throughput.ts'
import { startTyping, stopTyping } from './typing.ts'
import { startWriting, stopWriting } from './write.ts'

const open = (target: HoldTarget): Promise<Channel> => ('url' in target ? openTerminal(target) : openExec(target))

const tasks = {
  transfer: async (target: HoldTarget, file: string) => {
    const channel = await open(target)
    const result = await transfer(channel, file)
    await channel.close()
    return result
  },
  echo: async (targets: readonly HoldTarget[], keys: number, restMs: number) => {
    const channels = []
    for (const target of targets) channels.push(await open(target))
    const samples = await typeInTurns(channels, keys, restMs)
    for (const channel of channels) await channel.close()
    return samples
  },
  repaint: (target: TerminalTarget, line: string, times: number) => repaint(target, line, times),
  startStreams: (targets: readonly TerminalTarget[], line: string) => startStreams(targets, line),
  countStreams: (forMs: number) => countStreams(forMs),
  stopStreams: () => stopStreams(),
  promptThroughTerminal: (target: TerminalTarget) => promptThroughTerminal(target),
  promptThroughExec: (target: ExecTarget) => promptThroughExec(target),
  promptThroughCli: (target: ExecTarget) => promptThroughCli(target),
  hold: (targets: readonly HoldTarget[]) => hold(targets),
  release: () => release(),
  listen: (targets: readonly ListenTarget[]) => listenAll(targets),
  leave: () => leaveAll(),
  follow: (targets: readonly FollowTarget[]) => follow(targets),
  followedSince: (since: number) => followedSince(since),
  delaysOfFollowed: () => delaysOfFollowed(),
  unfollow: () => unfollow(),
  signIns: (base: string, people: readonly Person[], count: number) => signInInTurns(base, people, count),
  startTyping: (keysPerSecond: number) => startTyping(keysPerSecond),
  stopTyping: () => stopTyping(),
  saturate: (endpoint: Endpoint, forMs: number) => saturate(endpoint, forMs),
  startWriting: (base: string, token: string, agent: string) => startWriting(base, token, agent),
  stopWriting: () => stopWriting(),
  downloadPort: (target: PortTarget, path: string, expected: number) => downloadPort(target, path, expected),
  askPort: (target: PortTarget, path: string, times: number) => askPort(target, path, times),
  echoPort: (target: PortTarget, sockets: number, rounds: number) => echoPort(target, sockets, rounds),
  soak: (targets: readonly TerminalTarget[], forMs: number) => soak(targets, forMs),
  churn: (targets: ChurnTargets, forMs: number) => churn(targets, forMs),
}

export type Tasks = typeof tasks
export interface Call {
  readonly task: keyof Tasks
  readonly args: readonly unknown[]
}
export type Answer = { readonly result: unknown } | { readonly error: string }

const answer = async ({ task, args }: Call): Promise<Answer> => {
  try {
    // The caller's types check the arguments. Both sides are compiled with the same table.
    const perform = tasks[task] as (...args: readonly unknown[]) => Promise<unknown>
    return { result: await perform(...args) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.on('message', (call: Call) => void answer(call).then((result) => process.send?.(result)))
// The process has a session of its own, so nothing else ends it.
process.once('disconnect', () => process.exit())
