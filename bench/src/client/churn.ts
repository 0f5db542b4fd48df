/**
 * Opens and closes things as users do over a day. Everything opened here is closed again, so whatever is left
 * afterwards has leaked.
 */
import { nextData, pause } from './channel.ts'
import { leave, listen, type ListenTarget } from './listen.ts'
import { type Person, signIn, signOut } from './sign-ins.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

export interface ChurnTargets {
  readonly base: string
  readonly people: readonly Person[]
  readonly pages: readonly ListenTarget[]
  readonly terminals: readonly TerminalTarget[]
}

/** How often each was done. */
export type Churned = Record<'signIns' | 'lists' | 'pages' | 'terminals' | 'cutTerminals', number>

/** Rest after each round, in milliseconds. The server refuses more than 600 sign-ins a minute from one address. */
const REST_MS = 200

/** Repeats everything for so many milliseconds. */
export const churn = async (targets: ChurnTargets, forMs: number): Promise<Churned> => {
  const { base, people, pages, terminals } = targets
  const done: Churned = { signIns: 0, lists: 0, pages: 0, terminals: 0, cutTerminals: 0 }
  const until = performance.now() + forMs
  for (let round = 0; performance.now() < until; round++) {
    const token = await signIn(base, people[round % people.length]!)
    done.signIns += 1
    const page = await listen(pages[round % pages.length]!)
    done.pages += 1
    const headers = { connection: 'close', authorization: `Bearer ${token}` }
    const list = await fetch(`${base}/api/agents`, { headers })
    if (!list.ok) throw new Error(`the list was answered with ${list.status}`)
    await list.arrayBuffer()
    done.lists += 1
    const terminal = await openTerminal(terminals[round % terminals.length]!)
    await nextData(terminal)
    done.terminals += 1
    // Every second terminal loses its connection with a program in the foreground. The others close it.
    if (round % 2 === 0) await terminal.close()
    else {
      terminal.write('sleep 1000\r')
      await nextData(terminal)
      terminal.cut()
      done.cutTerminals += 1
    }
    await leave(page)
    await signOut(base, token)
    await pause(REST_MS)
  }
  return done
}
