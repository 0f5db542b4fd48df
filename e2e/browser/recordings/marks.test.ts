/** The marks of a recording are places to jump to. Each shows the screen that users had there. */
// In the short form `recordings.test.ts` jumps to marks.
import '@slipway/testing/long'
import type { Recording } from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { castOf, marksOf, outputOf } from '../../support/terminal/casts.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { openBash } from '../../support/terminal/open-bash.ts'
import { useAgent } from '../../support/use-agent.ts'

const STARTED = 'Bash was started'
const LOST = 'The connection was closed or lost'
const CONNECTED = 'A client connected'

useBrowser()
const its = useAgent({ runtime: 'bash', record: true, keepSeconds: 300 })
afterEach(disconnectAll)

const connect = (first?: object): Promise<TerminalClient> => openBash(its.owner, its.agent.name, first)

describe('the marks of a recording', () => {
  it('show the screen as it was when the program started, when the connection was lost, and when it was back', async () => {
    const terminal = await connect()
    const { sessionId } = terminal
    const cast = (): Promise<string> => castOf(its.owner, sessionId)
    // The shell joins each word, so that the echoed line does not contain it.
    await terminal.run('mkfifo /tmp/gone; echo be""fore')
    terminal.type('read < /tmp/gone; echo me""anwhile\r')
    await terminal.until('the reader', () => terminal.text.includes('read <'))
    terminal.cut()
    await until('the mark of the loss', async () => marksOf(await cast()).at(-1) === LOST)
    await runIn(its.agent.name, 'echo > /tmp/gone')
    await until('the output of the disconnected time', async () => outputOf(await cast()).includes('meanwhile\r\n'))
    const back = await connect({ session: sessionId })
    await back.run('echo af""ter')
    await back.disconnect()
    await until(
      'its end',
      async () => (await its.owner.ok<Recording>('GET', `/recordings/${sessionId}`)).state === 'complete',
    )
    expect(marksOf(await cast())).toEqual([STARTED, CONNECTED, LOST, CONNECTED, LOST, 'Disconnected.'])

    const page = await visit(its.owner, `/recordings/${sessionId}`)
    const jumpTo = (mark: string) => page.getByTestId('cast-marks').getByText(mark)
    const text = page.getByTestId('cast-player').locator('.ap-term-text')
    await jumpTo('Disconnected.').click()
    await text.filter({ hasText: 'after' }).waitFor()
    await jumpTo(LOST).first().click()
    await text.filter({ hasText: 'before' }).filter({ hasNotText: 'meanwhile' }).waitFor()
    await jumpTo(CONNECTED).last().click()
    await text.filter({ hasText: 'meanwhile' }).filter({ hasNotText: 'after' }).waitFor()
    await jumpTo(STARTED).click()
    await text.filter({ hasNotText: 'before' }).waitFor()
  })
})
