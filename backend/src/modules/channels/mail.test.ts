import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { useChannels } from '../../../test/support/channels/channels.ts'
import { SMTP_USER } from '../../../test/support/channels/smtp.ts'
import { HOUR_MS } from '../../lib/time/clock.ts'
import { MAIL_EVERY_MS, PAUSES_MS } from './bounds.ts'

const { lines, team, someUser, ask, planned, attempted, smtp } = useChannels()
const mailed = (count: number) => until(`${count} mails`, () => smtp().received.length >= count)

it('is sent to a user who wants it, as plain text with links, one for all questions at the same time', async () => {
  const [user, other] = [await someUser({ mail: true }), await someUser()]
  const { id } = await ask(user, 'Deploy?')
  await ask(other, 'Not wanted?')
  await mailed(1)
  await ask(user, 'Second?')
  await ask(user, 'Third\r\nBcc: evil@example.org?')
  await planned()
  expect(smtp().received).toHaveLength(1)
  team().clock.advance(MAIL_EVERY_MS)
  await mailed(2)
  const [first, second] = smtp().received
  expect([first?.from, first?.to]).toEqual(['slipway@example.org', [user.email]])
  expect(first?.source).toContain(`Subject: ${user.agent} needs you: Deploy?`)
  expect(first?.source).toContain('Content-Type: text/plain')
  // Long lines are folded.
  const text = first?.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(text).toMatch(new RegExp(`${user.agent}: Deploy\\?\\r\\nhttp://\\S+/questions/${id}\\?notice=`))
  expect(second?.source).toContain('Subject: 2 need you: Third Bcc: evil@example.org?')
  expect(second?.to).toEqual([user.email])
  expect(second?.source).toContain(`${user.agent}: Second?`)
})

it('is sent also after the clock was set back, and then no more often than before', async () => {
  const user = await someUser({ mail: true })
  await ask(user, 'Before?')
  await mailed(1)
  await attempted()
  team().clock.advance(-HOUR_MS)
  await ask(user, 'After?')
  await mailed(2)
  await ask(user, 'Soon after?')
  await planned()
  expect(smtp().received).toHaveLength(2)
  team().clock.advance(MAIL_EVERY_MS)
  await mailed(3)
})

it('is sent again after a pause if the mail server refuses it, and its password is in no log', async () => {
  const user = await someUser({ mail: true })
  smtp().isBusy = true
  await ask(user, 'Again?')
  await until('the refusal', () => lines.some((line) => line.includes('EMESSAGE, status 451')))
  smtp().isBusy = false
  team().clock.advance(PAUSES_MS[0])
  await mailed(1)
  const log = lines.join('')
  for (const secret of [SMTP_USER.pass, encodeURIComponent(SMTP_USER.pass), 'the words of the mail server'])
    expect(log).not.toContain(secret)
})
