import { describe, expect, it } from 'vitest'
import { LINK_MAX, linkEnd, type LinkKind } from './ends.ts'

/** The link that starts at the mark `^`. The mark is not part of the line. */
const linkIn = (marked: string, kind: LinkKind): string => {
  const start = marked.indexOf('^')
  const text = marked.replace('^', '')
  return text.slice(start, linkEnd(text, start, kind).end)
}

describe('the address of a web page', () => {
  it.each([
    // A link contains its own brackets, not those around it.
    ['^https://example.test/wiki/A_(b)_c', 'https://example.test/wiki/A_(b)_c'],
    ['^https://example.test/wiki/A_(b)', 'https://example.test/wiki/A_(b)'],
    ['(^https://example.test/wiki/A_(b))', 'https://example.test/wiki/A_(b)'],
    ['(^https://example.test/wiki/A_(b)).', 'https://example.test/wiki/A_(b)'],
    ['(see ^https://example.test/x)', 'https://example.test/x'],
    ['(see ^https://example.test/x).', 'https://example.test/x'],
    ['[text](^https://example.test/x_(y))', 'https://example.test/x_(y)'],
    ['[^https://example.test/x](https://example.test/y)', 'https://example.test/x'],
    ['^https://example.test/((a)(b))/c', 'https://example.test/((a)(b))/c'],
    ['^https://example.test/x(not closed', 'https://example.test/x'],
    ['^https://example.test/x([a)]', 'https://example.test/x'],
    ['^http://[::1]:3000/x', 'http://[::1]:3000/x'],
    ['^http://[2001:db8::1]', 'http://[2001:db8::1]'],
    ['^https://example.test/?filter[name]=a&sort[]=b', 'https://example.test/?filter[name]=a&sort[]=b'],
    ['^https://example.test/{id}', 'https://example.test/'],
    ['<^https://example.test/x>', 'https://example.test/x'],
    ['<a href="^https://example.test/x">', 'https://example.test/x'],
    // Chinese, Japanese and Korean brackets and punctuation end a link. Letters of these scripts do not.
    ['^https://example.test/x（note）', 'https://example.test/x'],
    ['^https://example.test/x（备注）后', 'https://example.test/x'],
    ['（^https://example.test/x）', 'https://example.test/x'],
    ['^https://example.test/y。次', 'https://example.test/y'],
    ['^https://example.test/y，然后', 'https://example.test/y'],
    ['^https://example.test/y、^', 'https://example.test/y'],
    ['^https://example.test/y；', 'https://example.test/y'],
    ['^https://example.test/y：', 'https://example.test/y'],
    ['^https://example.test/y！', 'https://example.test/y'],
    ['^https://example.test/y？', 'https://example.test/y'],
    ['^https://example.test/y｡次', 'https://example.test/y'],
    ['「^https://example.test/y」', 'https://example.test/y'],
    ['『^https://example.test/y』', 'https://example.test/y'],
    ['【^https://example.test/y】', 'https://example.test/y'],
    ['《^https://example.test/y》', 'https://example.test/y'],
    ['〈^https://example.test/y〉', 'https://example.test/y'],
    ['［^https://example.test/y］', 'https://example.test/y'],
    ['＜^https://example.test/y＞', 'https://example.test/y'],
    ['^https://example.test/y｜z', 'https://example.test/y'],
    ['^https://example.test/y～', 'https://example.test/y'],
    ['^https://example.test/y\u3000z', 'https://example.test/y'],
    ['^https://example.test/文書/日本語', 'https://example.test/文書/日本語'],
    ['^https://example.test/レオナルド・ダ・ヴィンチ・', 'https://example.test/レオナルド・ダ・ヴィンチ'],
    ['^https://例え.test/한국어', 'https://例え.test/한국어'],
    // Quotation marks of other languages.
    ['“^https://example.test/y”', 'https://example.test/y'],
    ['‘^https://example.test/y’', 'https://example.test/y'],
    ['«^https://example.test/y»', 'https://example.test/y'],
    ['„^https://example.test/y“', 'https://example.test/y'],
    ['^https://example.test/y…', 'https://example.test/y'],
    ['^https://example.test/y — and', 'https://example.test/y'],
    ['^https://example.test/y—and', 'https://example.test/y'],
    ['^https://example.test/Bose–Einstein', 'https://example.test/Bose–Einstein'],
    ['^https://example.test/y–', 'https://example.test/y'],
    ['^https://example.test/y،', 'https://example.test/y'],
    ['^https://example.test/y؟', 'https://example.test/y'],
    ['^https://example.test/y।', 'https://example.test/y'],
    ['^https://example.test/grün/çok', 'https://example.test/grün/çok'],
    // Emoji are part of names like letters. Arrows and boxes are not.
    ['^https://example.test/👩🏽‍💻/⚠️', 'https://example.test/👩🏽‍💻/⚠️'],
    ['^https://example.test/y→z', 'https://example.test/y'],
    ['│^https://example.test/y│', 'https://example.test/y'],
    ['|^https://example.test/y|', 'https://example.test/y'],
    ['^https://example.test/y\u202ez', 'https://example.test/y'],
    ['^https://example.test/y\ue0b0', 'https://example.test/y'],
    // Punctuation at the end of a sentence.
    ['^https://example.test/y.', 'https://example.test/y'],
    ['^https://example.test/y...', 'https://example.test/y'],
    ['^https://example.test/y?!', 'https://example.test/y'],
    ['^https://example.test/y, then', 'https://example.test/y'],
    ['^https://example.test/y;', 'https://example.test/y'],
    ['^https://example.test/y:', 'https://example.test/y'],
    ['^https://example.test.', 'https://example.test'],
    ['^https://example.test/a.b,c;d:e!f', 'https://example.test/a.b,c;d:e!f'],
    ['^https://example.test/y/', 'https://example.test/y/'],
    ['^https://example.test/y?q=', 'https://example.test/y?q='],
    ['^https://example.test/y-', 'https://example.test/y-'],
    ['^https://example.test/~', 'https://example.test/~'],
    ['^https://example.test/a_', 'https://example.test/a_'],
    ['^https://example.test/x#L1-2', 'https://example.test/x#L1-2'],
    ['^https://example.test:8080/x.js:12:3', 'https://example.test:8080/x.js:12:3'],
    ['^https://a.test/x,https://b.test/y', 'https://a.test/x'],
    ['^https://a.test/x;http://b.test/y', 'https://a.test/x'],
    ['^https://archive.test/2020/https://example.test/', 'https://archive.test/2020/https://example.test/'],
    // Quotation marks and emphasis marks.
    ["'^https://example.test/y'", 'https://example.test/y'],
    ["{'url': '^https://example.test/y', 'n': 1}", 'https://example.test/y'],
    ["'^https://example.test/y'; next='z'", 'https://example.test/y'],
    ["^https://example.test/Murphy's_law", "https://example.test/Murphy's_law"],
    ["^https://example.test/y'", 'https://example.test/y'],
    ['"^https://example.test/y"', 'https://example.test/y'],
    ['`^https://example.test/y`', 'https://example.test/y'],
    ['"^https://example.test/y\\n"', 'https://example.test/y'],
    ['**^https://example.test/y**', 'https://example.test/y'],
    ['**^https://example.test/y**:', 'https://example.test/y'],
    ['_^https://example.test/y_', 'https://example.test/y'],
    ['~~^https://example.test/y~~', 'https://example.test/y'],
  ])('%s', (line, link) => expect(linkIn(line, 'web')).toBe(link))
})

describe('the path of a file', () => {
  it.each([
    ['^src/x.ts（注）', 'src/x.ts'],
    ['^src/x.ts（注）。', 'src/x.ts'],
    ['（^src/x.ts）', 'src/x.ts'],
    ['^src/x.ts。次', 'src/x.ts'],
    ['「^src/x.ts」', 'src/x.ts'],
    ['^src/x.ts、src/y.ts', 'src/x.ts'],
    ['^docs/报告（最终）.md', 'docs/报告（最终）.md'],
    ['^docs/文書.md', 'docs/文書.md'],
    ['^a/👩🏽‍💻.md', 'a/👩🏽‍💻.md'],
    ['(^src/x.ts)', 'src/x.ts'],
    ['Write(^src/x.ts)', 'src/x.ts'],
    ['^Write(src/x.ts)', 'Write'],
    ['^src/x.ts(12,3): error', 'src/x.ts'],
    ['^src/x.ts[1]', 'src/x.ts'],
    ['[x](^docs/x.md)', 'docs/x.md'],
    ['^app/(group)/page.tsx', 'app/(group)/page.tsx'],
    ['^app/[id]/[...rest].ts:3', 'app/[id]/[...rest].ts:3'],
    ['^docs/report_(1)_b.pdf, docs/x', 'docs/report_(1)_b.pdf'],
    ['^docs/report(1).pdf.', 'docs/report(1).pdf'],
    ['^src/x.ts:12:3:', 'src/x.ts:12:3'],
    ['^src/x.ts!', 'src/x.ts'],
    ["'^src/x.ts'", 'src/x.ts'],
    ['^src/x.ts,src/y.ts', 'src/x.ts'],
    ['^src/x.ts;', 'src/x.ts'],
    ['^src/x.ts~', 'src/x.ts~'],
    ['│^src/x.ts│', 'src/x.ts'],
    ['^src/x.ts → y', 'src/x.ts'],
    ['_^src/x.ts_', 'src/x.ts'],
  ])('%s', (line, link) => expect(linkIn(line, 'path')).toBe(link))
})

describe('a link', () => {
  it.each(['web', 'path'] as const)('is none where it is too long (%s)', (kind) => {
    const longest = 'x'.repeat(LINK_MAX[kind])
    expect(linkIn(`^${longest} y`, kind)).toBe(longest)
    expect(linkIn(`^${longest}x y`, kind)).toBe('')
  })

  it.each(['web', 'path'] as const)('is none where nothing of it is left (%s)', (kind) => {
    for (const line of ['^', '^ x', '^.', '^...', '^)', '^(x)', '^（x）.md', '^。']) expect(linkIn(line, kind)).toBe('')
  })
})
