import { describe, expect, it } from 'vitest'
import { parseStatus, ProgramStatus, type StatusReport } from './programStatus.ts'

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
const report = (payload: string): StatusReport => parseStatus(payload)!

describe('a report', () => {
  it('is what Claude Code says when it asks', () => {
    const payload = `state=blocked:app=claude-code:kind=permission:msg=${base64('approve Bash: écho hi')}`
    expect(parseStatus(payload)).toEqual({
      id: '',
      state: 'blocked',
      kind: 'permission',
      message: 'approve Bash: écho hi',
    })
    expect(parseStatus('state=clear')).toEqual({ id: '', state: null, kind: null, message: null })
    expect(parseStatus('state=working:id=build/test:later=1')).toMatchObject({ id: 'build/test', state: 'working' })
  })

  it.each([
    '',
    'working',
    'state=',
    'state=dancing',
    'state=blocked:kind=whim',
    'state=idle:id=a//b',
    'state=idle:id=../../x y',
    `state=idle:id=${'a/'.repeat(8)}a`,
    `state=idle:id=${'a'.repeat(33)}`,
    'state=idle:msg=%%%',
    `state=idle:msg=${btoa('\xff\xfe')}`,
    `state=idle:msg=${base64('two\nlines')}`,
    `state=idle:msg=${base64('x'.repeat(2049))}`,
    `state=idle:${'x'.repeat(5000)}`,
  ])('counts for nothing as %s', (payload) => expect(parseStatus(payload)).toBeNull())
})

describe('the status of a program', () => {
  it('waits when it is blocked, each time with another question, and finishes when it was at work', () => {
    const status = new ProgramStatus()
    const kinds = ['state=idle', 'state=working', 'state=blocked:kind=question', 'state=blocked:kind=question']
    expect(kinds.map((payload) => status.apply(report(payload)).kind)).toEqual(['none', 'none', 'waits', 'none'])
    expect(status.blocked).toBe(true)
    expect(status.apply(report(`state=blocked:msg=${base64('another')}`)).kind).toBe('waits')
    expect(status.apply(report('state=working')).kind).toBe('none')
    expect(status.blocked).toBe(false)
    expect(status.apply(report('state=done'))).toEqual({ kind: 'finished', failed: false })
    expect(status.apply(report('state=idle')).kind).toBe('none')
    status.apply(report('state=working'))
    expect(status.apply(report('state=idle'))).toEqual({ kind: 'finished', failed: false })
    status.apply(report('state=working'))
    expect(status.apply(report('state=error'))).toEqual({ kind: 'finished', failed: true })
  })

  it('takes a part back with what is below it, and all with none named', () => {
    const status = new ProgramStatus()
    for (const id of ['a', 'a/b', 'ab']) status.apply(report(`state=blocked:id=${id}`))
    status.apply(report('state=clear:id=ab'))
    status.apply(report('state=clear:id=a'))
    expect(status.blocked).toBe(false)
    status.apply(report('state=blocked:id=a/b'))
    status.apply(report('state=clear'))
    expect(status.blocked).toBe(false)
  })

  it('holds no more records than it says', () => {
    const status = new ProgramStatus()
    status.apply(report('state=blocked:id=first'))
    for (let at = 0; at < 64; at += 1) status.apply(report(`state=idle:id=n${at}`))
    expect(status.blocked).toBe(false)
  })
})
