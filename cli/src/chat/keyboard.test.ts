import { setImmediate as turn } from 'node:timers/promises'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { Keyboard, LinesAbove } from './keyboard.ts'

const setUp = () => {
  const [input, output] = [new PassThrough(), new LinesOut()]
  const [texts, ends]: [string[], string[]] = [[], []]
  const keyboard = new Keyboard({
    ...{ input, output },
    onText: (text) => texts.push(text),
    onInterrupt: () => ends.push('interrupt'),
    onEnd: () => ends.push('end'),
  })
  keyboard.open()
  const type = async (keys: string): Promise<void> => {
    input.write(keys)
    for (let times = 0; times < 3; times++) await turn()
  }
  return { input, output, keyboard, texts, ends, type }
}

it('takes a line for a message, and lines that come at once for one', async () => {
  const { texts, type } = setUp()
  await type('first\r')
  await type('two\rlines\r')
  await type('goes on\\\r')
  expect(texts).toEqual(['first', 'two\nlines'])
  await type('here\r')
  expect(texts).toEqual(['first', 'two\nlines', 'goes on\nhere'])
})

it('tells Ctrl+C from Ctrl+D, and neither from its own end', async () => {
  const { keyboard, ends, type } = setUp()
  await type('\x03')
  expect(ends).toEqual(['interrupt'])
  await type('\x04')
  expect(ends).toEqual(['interrupt', 'end'])
  keyboard.close()
  expect(ends).toEqual(['interrupt', 'end'])
})

it('gives the keyboard to a question, and has what was written again after it', async () => {
  const { keyboard, texts, ends, type } = setUp()
  const lines = new LinesAbove(() => keyboard)
  await type('half a mess')
  lines.hold()
  await turn()
  lines.release()
  await type('age\r')
  expect([texts, ends]).toEqual([['half a message'], []])
})

it('shows what comes above the line', async () => {
  const { output, keyboard, type } = setUp()
  await type('draft')
  new LinesAbove(() => keyboard).to(output).write('news\n')
  expect(output.text.slice(output.text.lastIndexOf('news'))).toMatch(/^news\n[^]*> draft/)
})
