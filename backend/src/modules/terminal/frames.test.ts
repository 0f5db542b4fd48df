import { describe, expect, it } from 'vitest'
import { parseAuth, parseControl } from './frames.ts'

describe('the first message', () => {
  it('keeps the size of a version 2 client, and drops it when it is no size', () => {
    const frame = { type: 'auth', token: 't', v: 2, cols: 100, rows: 30 }
    expect(parseAuth(JSON.stringify(frame))).toEqual(frame)
    expect(parseAuth(JSON.stringify({ ...frame, cols: 1e9 }))).toEqual({ type: 'auth', token: 't', v: 2 })
  })

  it('of version 1 may hold unknown fields', () => {
    expect(parseAuth('{"type":"auth","token":"t","cols":5,"x":1}')).toEqual({ type: 'auth', token: 't' })
  })
})

describe('a text frame', () => {
  it.each(['ls', '', ' {"type":"resize"}', '{not json', '[]', '{}', '{"type":"other"}', '{"type":"auth","token":"t"}'])(
    '%j is input',
    (text) => expect(parseControl(text, 2)).toBeNull(),
  )

  it('resizes, with the size of an old terminal where it names none', () => {
    expect(parseControl('{"type":"resize","cols":100,"rows":30}', 1)).toEqual({ type: 'resize', cols: 100, rows: 30 })
    expect(parseControl('{"type":"resize"}', 1)).toEqual({ type: 'resize', cols: 80, rows: 24 })
  })

  it.each(['{"type":"resize","cols":0}', '{"type":"resize","cols":1e9}', '{"type":"resize","rows":null}'])(
    '%j is ignored and not typed',
    (text) => expect(parseControl(text, 1)).toEqual({ type: 'ignored' }),
  )

  it('declines control in version 2 alone, with the id of the user who asked', () => {
    expect(parseControl('{"type":"decline_control","to":"2"}', 2)).toEqual({ type: 'decline_control', to: '2' })
    expect(parseControl('{"type":"decline_control","to":2}', 2)).toEqual({ type: 'ignored' })
    expect(parseControl('{"type":"decline_control","to":"2"}', 1)).toBeNull()
  })

  it('acknowledges in version 2 and is input in version 1', () => {
    expect(parseControl('{"type":"ack","offset":7}', 2)).toEqual({ type: 'ack', offset: 7 })
    expect(parseControl('{"type":"ack","offset":"7"}', 2)).toEqual({ type: 'ignored' })
    expect(parseControl('{"type":"ack","offset":7}', 1)).toBeNull()
  })
})
