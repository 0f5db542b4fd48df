import { createHmac } from 'node:crypto'
import type { HookSource } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { type Call, deliveryOf, eventOf, isProven } from './proof.ts'

const SECRET = "It's a Secret to Everybody"
const call = (headers: Call['headers'] = {}, text = 'Hello, World!', urlSecret = ''): Call => ({
  headers,
  body: Buffer.from(text),
  urlSecret,
})
const signed = (text: string, secret = SECRET): Call =>
  call({ 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}` }, text)

describe('a call', () => {
  it('of GitHub is signed as in its documentation', () => {
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(isProven('github', SECRET, call({ 'x-hub-signature-256': signature }))).toBe(true)
    expect(isProven('github', SECRET, signed('Hello, World!'))).toBe(true)
  })

  it.each<[string, HookSource, Call]>([
    ['no header', 'github', call()],
    ['the signature of another body', 'github', { ...signed('Hello'), body: Buffer.from('Hello, World!') }],
    ['the signature with another secret', 'github', signed('Hello', 'another secret')],
    ['a signature that is cut', 'github', call({ 'x-hub-signature-256': 'sha256=757107' })],
    ['the old signature', 'github', call({ 'x-hub-signature': 'sha1=' })],
    ['the header twice', 'gitlab', call({ 'x-gitlab-token': [SECRET, SECRET] })],
    ['no token', 'gitlab', call()],
    ['an empty token', 'gitlab', call({ 'x-gitlab-token': '' })],
    ['another token', 'gitlab', call({ 'x-gitlab-token': `${SECRET}x` })],
    ['the secret in the place of another sender', 'gitlab', call({}, '', SECRET)],
    ['no secret in the address', 'url', call()],
    ['another secret in the address', 'url', call({}, '', SECRET.slice(1))],
  ])('with %s proves nothing', (_what, source, made) => {
    expect(isProven(source, SECRET, made)).toBe(false)
  })

  it('of GitLab has a token, and any other has the secret in the address', () => {
    expect(isProven('gitlab', SECRET, call({ 'x-gitlab-token': SECRET }))).toBe(true)
    expect(isProven('url', SECRET, call({}, '', SECRET))).toBe(true)
  })

  it('names its event and its delivery as its sender does', () => {
    expect(eventOf('github', call({ 'x-github-event': 'issues' }))).toBe('issues')
    expect(eventOf('gitlab', call({ 'x-gitlab-event': 'Issue Hook' }))).toBe('Issue Hook')
    expect(eventOf('url', call({ 'x-github-event': 'issues' }))).toBeNull()
    expect(deliveryOf('gitlab', call({ 'x-gitlab-event-uuid': 'a' }))).toBe('a')
    expect(deliveryOf('gitlab', call({ 'x-gitlab-event-uuid': 'a', 'idempotency-key': 'b' }))).toBe('b')
    expect(deliveryOf('url', call({ 'idempotency-key': 'c' }))).toBe('c')
    expect(deliveryOf('url', call())).toBeNull()
  })

  it('of GitHub is the same delivery if its body is, because only the body is signed', () => {
    const copy = (id: string, text: string) => deliveryOf('github', call({ 'x-github-delivery': id }, text))
    expect(copy('a', 'one')).toBe(copy('b', 'one'))
    expect(copy('a', 'one')).not.toBe(copy('a', 'two'))
  })
})
