import { ApiError, messageOf } from '@/api/transport/errors.ts'

/** A refused request: the field of its body that is wrong, if the server names one, and a sentence. */
export interface FieldRefusal {
  /** As the API names it, without what follows a dot: `headers` for `headers.X-Team`. */
  readonly field: string | null
  readonly message: string
}

export function namedField(error: unknown): FieldRefusal {
  const text = messageOf(error)
  if (!(error instanceof ApiError)) return { field: null, message: text }
  const [, field, further = '', rest] = /^body[./]([A-Za-z_]+)([./][^ :]+)?:? (.+)$/s.exec(text) ?? []
  if (field === undefined) return { field: null, message: asSentence(text) }
  const about = further === '' ? '' : `${further.slice(1)} `
  return { field, message: asSentence(`${about}${rest}`) }
}

const asSentence = (text: string): string => {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
