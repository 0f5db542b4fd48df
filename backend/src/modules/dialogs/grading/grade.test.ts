import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MEDIUM } from '../../../../test/support/grading/medium.ts'
import { ORDINARY } from '../../../../test/support/grading/ordinary.ts'
import { BYPASSES, GRAVEST } from '../../../../test/support/grading/gravest.ts'
import { grade } from './grade.ts'
import { GRADED_MAX } from './line.ts'
import { REASONS, tierOf } from './reasons.ts'

const ROWS = [...ORDINARY, ...MEDIUM, ...GRAVEST, ...BYPASSES]

describe('a command', () => {
  it.each(ROWS)('"%s": %s', (reason, command) => {
    const { tier, reasons } = grade(command)
    expect({ tier, first: reasons }).toEqual({
      tier: tierOf(reason),
      first: expect.arrayContaining([REASONS[reason][1]]) as unknown,
    })
  })

  it('is in the table at least 300 times', () => {
    expect(new Set(ROWS.map(([, command]) => command)).size).toBeGreaterThanOrEqual(300)
  })
})

describe('what a command of several lines does', () => {
  it.each([
    ['a text for a file is data', "cat <<'EOF' > notes.txt\nrm -rf /\nEOF", 1],
    ['a text for a program that reads is data', 'grep x <<EOF\nrm -rf /\nEOF', 0],
    ['a text for a shell is a command', "sh <<'EOF'\nrm -rf /\nEOF", 3],
    ['a text in a pipeline to a shell is a command', "cat <<'EOF' | sh\nls\nEOF", 3],
    ['an expansion in a text is a command', 'cat <<EOF\n$(rm -rf /)\nEOF', 3],
    ['a line that continues is one line', 'rm \\\n  -rf \\\n  x', 3],
    ['a name that continues is one name', 'r\\\nm -rf x', 3],
    ['each line counts', 'ls\nrm -rf x\nls', 3],
    ['a comment is no command', 'ls # rm -rf /', 0],
  ])('%s', (_what, command, tier) => {
    expect(grade(command).tier).toBe(tier)
  })

  it('is not graded if it is too long', () => {
    expect(grade(`echo ${'x'.repeat(GRADED_MAX)}`).tier).toBe(3)
  })
})

/** Ways to run a command by another one, and to say the same with other words. */
const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `env A=1 ${command}`,
  (command) => `sudo -n ${command}`,
  (command) => `timeout 5 ${command}`,
  (command) => `nohup ${command}`,
  (command) => `xargs ${command}`,
  (command) => `sh -c '${command.replaceAll("'", `'\\''`)}'`,
  (command) => `eval '${command.replaceAll("'", `'\\''`)}'`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `if true; then ${command}; fi`,
  (command) => `echo $( ${command} )`,
  (command) => `ls && ${command}`,
  (command) => `f() { ${command}; }; f`,
  (command) => `${command} > out.txt`,
]
/** Programs that take only a simple command. */
const SIMPLE = 5

describe('a grave command', () => {
  it('stays grave whatever runs it, in any order', () => {
    const steps = fc.array(fc.nat(WRAPPERS.length - 1), { maxLength: 5 })
    const grave = fc.constantFrom('rm -rf x', 'mkfs.ext4 x', 'git push --force', 'dd if=a of=b')
    fc.assert(
      fc.property(grave, steps, (command, wrappers) => {
        let isSimple = true
        let text: string = command
        for (const at of wrappers) {
          if (at < SIMPLE && !isSimple) continue
          text = WRAPPERS[at]!(text)
          isSimple &&= at < SIMPLE + 2
        }
        expect(grade(text).tier, text).toBe(3)
      }),
    )
  })

  it('stays grave however its words are quoted', () => {
    const quote = fc.constantFrom<(letter: string) => string>(
      (letter) => letter,
      (letter) => `\\${letter}`,
      (letter) => `'${letter}'`,
      (letter) => `"${letter}"`,
      (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`,
      (letter) => `''${letter}`,
      (letter) => `\\\n${letter}`,
    )
    fc.assert(
      fc.property(fc.array(quote, { minLength: 5, maxLength: 5 }), (quotes) => {
        const [r, m, dash, recursive, force] = ['r', 'm', '-', 'r', 'f'].map((letter, index) => quotes[index]!(letter))
        expect(grade(`${r}${m} ${dash}${recursive}${force} x`).tier).toBe(3)
      }),
    )
  })

  it('is never made harmless by what stands around it', () => {
    const around = fc.string({ unit: fc.constantFrom(...Array.from('abc \'"\\$`(){}[];&|<>#\n=*?!~-')), maxLength: 20 })
    fc.assert(
      fc.property(around, (text) => {
        const { tier } = grade(text)
        expect(tier).toBeGreaterThanOrEqual(0)
        expect(grade(`${text}\nrm -rf x`).tier).toBeGreaterThanOrEqual(Math.min(tier, 2))
      }),
      { numRuns: 500 },
    )
  })
})
