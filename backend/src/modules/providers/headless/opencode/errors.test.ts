import { describe, expect, it } from 'vitest'
import { reader, step, error } from '../../../../../test/support/headless/opencode.ts'
import { NOW, feed } from '../../../../../test/support/headless/reading.ts'

describe('the standard error of OpenCode', () => {
  const log = (rest: string): string =>
    `ERROR 2026-11-25T12:00:00 +9ms service=llm providerID=x error={"error":{${rest}}}`
  const request = `"requestBodyValues":{"messages":"${'x'.repeat(100_000)}"}`

  it.each([
    [log(`"name":"AI_APICallError",${request},"statusCode":529`), 'answered with status 529'],
    [`timestamp=x level=ERROR run=1 message="stream error" error="{\\"statusCode\\":429}"`, 'answered with status 429'],
    [log('"name":"ConnectionRefused"'), 'did not answer'],
  ])('shows that OpenCode retries, without the request', (line, words) => {
    const reading = reader()
    expect(reading.errorLine?.(line, NOW)).toEqual([
      { type: 'status', status: 'retrying', message: `The model server ${words}.` },
    ])
    expect(reading.verdict().failure).toBeNull()
  })

  const streamError = (message: string, small = false): string =>
    `timestamp=x level=ERROR run=1 message="stream error" providerID=x small=${small} error.error="AI_APICallError: ${message}"`

  it('shows the error of a line that does not tell whether OpenCode retries', () => {
    expect(reader().errorLine?.(streamError('This \\"key\\" is not valid'), NOW)).toEqual([
      { type: 'status', status: 'notice', message: 'A request to the model failed: This "key" is not valid' },
    ])
  })

  it('keeps a limit that such a line tells', () => {
    const reading = reader()
    reading.errorLine?.(streamError('You exceeded your current quota, try again in 6m0s'), NOW)
    expect(reading.verdict().failure).toMatchObject({ reason: 'usage_limit', status: null, resetsAt: NOW + 360_000 })
  })

  it('leaves out what an error event tells, too, and the requests for titles', () => {
    const final = 'timestamp=x level=ERROR run=1 message=process error="broken" stack="AI_APICallError: broken"'
    for (const line of [final, streamError('broken', true)]) expect(reader().errorLine?.(line, NOW)).toEqual([])
  })

  it('keeps a limit until OpenCode goes on', () => {
    for (const rest of [
      '"statusCode":429,"responseHeaders":{"retry-after":"7200"}',
      '"statusCode":429,"x":"usage limit"',
    ]) {
      const reading = reader()
      reading.errorLine?.(log(rest), NOW)
      expect(reading.verdict()).toMatchObject({ failure: { reason: 'usage_limit', status: 429 }, isOver: true })
      feed(reading, step)
      expect(reading.verdict()).toMatchObject({ failure: null, isOver: false })
    }
  })

  it('tells a limit once, though OpenCode asks again and again', () => {
    const reading = reader()
    const line = 'level=ERROR message="stream error" error.error="AI_APICallError: You have reached your usage limit"'
    expect(reading.errorLine?.(line, NOW)).toMatchObject([{ type: 'limit' }])
    expect(reading.errorLine?.(line, NOW)).toEqual([])
    expect(reading.verdict().failure?.reason).toBe('usage_limit')
  })

  it('does not promise a retry of a refused key', () => {
    expect(reader().errorLine?.(log('"statusCode":401'), NOW)).toEqual([])
  })

  it('tells why OpenCode failed where its output hides it', () => {
    const reading = reader()
    feed(reading, error('UnknownError', { message: 'Unexpected server error. Check server logs for details.' }))
    expect(reading.verdict().failure?.reason).toBe('cli_error')
    expect(reading.errorLine?.('ERROR 2026-11-25 +0ms service=server error=no providers found failed', NOW)).toEqual([])
    expect(reading.verdict().failure?.reason).toBe('not_signed_in')
  })

  it('shows a permission that OpenCode has refused by itself', () => {
    const line = '\u001b[93m!\u001b[0m permission requested: external_directory (/etc/*); auto-rejecting'
    expect(reader().errorLine?.(line, NOW)).toEqual([
      {
        type: 'status',
        status: 'notice',
        message: '! permission requested: external_directory (/etc/*); auto-rejecting',
      },
    ])
  })

  it('says nothing with any other line, however long', () => {
    const reading = reader()
    const long = [log('statusCode'.repeat(100_000)), 'permission requested: '.repeat(100_000), 'x'.repeat(1_000_000)]
    for (const line of ['', 'INFO x service=llm', 'Error: Session not found', ...long.slice(1)])
      expect(reading.errorLine?.(line, NOW)).toEqual([])
    expect(reading.errorLine?.(long[0]!, NOW)).toHaveLength(1)
    expect(reading.verdict().failure).toBeNull()
  })
})
