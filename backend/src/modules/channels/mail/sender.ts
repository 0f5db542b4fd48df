/** Sends mail over one SMTP server. */
import { createTransport } from 'nodemailer'
import { MAIL_TIMEOUT_MS } from '../bounds.ts'
import type { Mail } from '../message.ts'
import type { SmtpConfig } from './smtp-url.ts'

/** What went wrong, without words of the mail server: they may repeat addresses or what was sent. */
export class MailError extends Error {
  override readonly name = 'MailError'
}

export class MailSender {
  readonly #config: SmtpConfig | null

  /** Without a configuration, nothing can be sent. */
  constructor(config: SmtpConfig | null) {
    this.#config = config
  }

  /** A connection of its own for each mail: mails are rare. Rejects with a {@link MailError}. */
  async send(to: string, { subject, text }: Mail): Promise<void> {
    if (this.#config === null) throw new MailError('no mail server is configured')
    const { from, ...server } = this.#config
    const transport = createTransport({
      ...server,
      connectionTimeout: MAIL_TIMEOUT_MS,
      greetingTimeout: MAIL_TIMEOUT_MS,
      socketTimeout: MAIL_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        // Programs that answer mail by themselves leave such mail alone (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    } catch (error) {
      throw new MailError(reasonOf(error))
    } finally {
      transport.close()
    }
  }
}

const reasonOf = (error: unknown): string => {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  const reason = typeof code === 'string' ? code : 'unknown'
  return typeof responseCode === 'number' ? `${reason}, status ${responseCode}` : reason
}
