/** A real SMTP server for tests. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as it came. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** With its headers. Short ASCII texts are as they were written. */
  readonly source: string
}

export interface Smtp {
  readonly port: number
  readonly received: ReceivedMail[]
  /** Whether it refuses mail from now on, for now. */
  isBusy: boolean
  close(): Promise<void>
}

/** It takes mail from this user only. */
export const SMTP_USER = { user: 'slipway', pass: 'the password of the mail server' }

export const startSmtp = async (): Promise<Smtp> => {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === SMTP_USER.user && password === SMTP_USER.pass
        ? done(null, { user: username })
        : done(new Error('refused')),
    onData: (stream, { envelope }, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        if (smtp.isBusy) return done(Object.assign(new Error('the words of the mail server'), { responseCode: 451 }))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from, to, source: Buffer.concat(parts).toString('utf8') })
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const smtp: Smtp = {
    ...{ port, received, isBusy: false },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
  return smtp
}
