// The files, tests and headings exist that the documents name.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../paths.mjs'
import { testsBelow, withShortForm } from '../test/files.mjs'
import { GROUPS, suites } from '../test/suites.mjs'

/** Folders of generated or installed files. */
const MADE = ['node_modules', 'dist', 'generated', '.git', '.turbo', 'results']
const files = globSync('{**/*,.github/**/*}', {
  cwd: inRoot(),
  exclude: (name) => MADE.includes(basename(name)),
}).map((file) => inRoot(file))
const documents = files.filter((file) => file.endsWith('.md'))

/** The anchors of a document's headings, as the repository's web page makes them. */
const anchorsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe.each(documents.map((file) => [relative(inRoot(), file), file]))('%s', (_name, file) => {
  const text = readFileSync(file, 'utf8')

  it('links to what there is', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link)
    const broken = links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split('#')
        const target = path === '' ? file : join(dirname(file), path)
        if (!existsSync(target)) return true
        return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
      })
    expect(broken).toEqual([])
  })

  it('names tests that there are', () => {
    const named = [...text.matchAll(/`((?:backend|e2e|scripts|images|frontend|bench)\/[\w./-]+)`/g)].map(
      ([, path]) => path,
    )
    expect(named.filter((path) => /test|e2e/.test(path) && !existsSync(inRoot(path)))).toEqual([])
  })
})

describe('a path of a page below docs/', () => {
  const SOURCE = /\.(?:md|[cm]?[jt]s|vue|c|h|sh|sql|ya?ml)$|Dockerfile$/
  const PATH = /(?<![\w.-]|[\w~]\/)docs\/[\w./-]+\.(?:md|json)\b/g
  /** Files whose strings name pages of made-up repositories. Only their comments are looked at. */
  const OF_TESTS = /^e2e\/|\.test\.(?:ts|mjs)$/
  const COMMENT = /(?:^|\s)(?:\/\/|\/?\*+|#)\s.*/gm

  it('is that of a page that there is', () => {
    const dead = files
      .filter((file) => SOURCE.test(file))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8')
        const name = relative(inRoot(), file)
        const read = OF_TESTS.test(name) ? (text.match(COMMENT) ?? []).join('\n') : text
        return (read.match(PATH) ?? []).filter((path) => !existsSync(inRoot(path))).map((path) => `${name}: ${path}`)
      })
    expect(dead).toEqual([])
  })
})

describe('CONTRIBUTING.md', () => {
  it.each([...suites.map(({ name }) => name), ...Object.keys(GROUPS)])('names the suite %s', (name) => {
    expect(readFileSync(inRoot('CONTRIBUTING.md'), 'utf8')).toContain(`\`${name}\``)
  })
})

describe('docs/architecture.md', () => {
  /** An ordered list of rooms in `eslint.config.js`, as the document draws it. */
  const drawn = (list, above) => {
    const source = readFileSync(inRoot('eslint.config.js'), 'utf8')
    const [, lines] = new RegExp(`^const ${list} = \\[\\n(.*?)^\\]`, 'ms').exec(source) ?? []
    const rooms = [...lines.matchAll(/^ {2}\[(.*?)\],$/gms)].map(([, line]) =>
      [...line.matchAll(/'(?:modules\/)?([\w-]+)'/g)].map(([, room]) => room),
    )
    return [...rooms.map((line) => (line.length > 1 ? `{ ${line.join(', ')} }` : line[0])), ...above].join(' -> ')
  }

  it.each([
    ['BACKEND', ['app.ts']],
    ['FRONTEND', []],
  ])('draws the rooms of %s in their order', (list, above) => {
    const text = readFileSync(inRoot('docs', 'architecture.md'), 'utf8').replaceAll(/\s+/g, ' ')
    expect(text).toContain(`\`\`\` ${drawn(list, above)} \`\`\``)
  })
})

describe('README.md', () => {
  it('has a badge with the version of package.json', () => {
    const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
    expect(readFileSync(inRoot('README.md'), 'utf8')).toContain(`badge/version-${version.replaceAll('-', '--')}-`)
  })
})

describe('docs/adr/README.md', () => {
  const decisions = globSync(inRoot('docs', 'adr', '**', '[0-9]*.md'))

  it('lists each decision once, with its number and its title', () => {
    const listed = [
      ...readFileSync(inRoot('docs', 'adr', 'README.md'), 'utf8').matchAll(/^\| (\d+) +\| \[(.+?)\]\((.+?)\)/gm),
    ]
    const expected = decisions.map((file) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
      return `${number} ${title} ${relative(inRoot('docs', 'adr'), file)}`
    })
    expect(expected.length).toBeGreaterThan(0)
    expect(listed.map(([, ...row]) => row.join(' ')).sort()).toEqual(expected.sort())
  })

  it('numbers decisions by their file names, and gives no number twice', () => {
    const numbers = decisions.map((file) => Number(basename(file).slice(0, 4)))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(decisions.map((file) => Number(/^# (\d+)\./.exec(readFileSync(file, 'utf8'))?.[1]))).toEqual(numbers)
  })
})

describe('docs/security-tests.md', () => {
  /** The form in which rows and titles are compared. A title has no backticks, and other quotes. */
  const plain = (text) => text.replaceAll('`', '').replace(/[‘’]/g, "'").toLowerCase()

  /** The titles of a file's tests, each with the titles of its groups before it. */
  const titlesIn = (file) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
    const titles = []
    const visit = (node, groups) => {
      const [title] = (ts.isCallExpression(node) && node.arguments) || []
      const isTitle =
        title && ts.isStringLiteralLike(title) && /^(describe|it|test)\b/.test(source.text.slice(node.getStart(source)))
      const full = isTitle ? `${groups} ${title.text}` : groups
      if (isTitle) titles.push(full)
      ts.forEachChild(node, (child) => void visit(child, full))
    }
    visit(source, '')
    return titles
  }

  /** The files that a cell names, by their path, or by their name alone if they are beside the one before. */
  const filesIn = (cell) => {
    let folder = ''
    return [...cell.matchAll(/`([\w./*-]+\.(?:ts|mjs))`/g)].flatMap(([, name]) => {
      if (name.includes('/')) folder = dirname(name)
      const files = globSync(inRoot(name.includes('/') ? name : join(folder, name)))
      expect(files, `${name} in ${folder}`).not.toEqual([])
      return files
    })
  }

  it('has no row without a test that is named like it', () => {
    const text = readFileSync(inRoot('docs', 'security-tests.md'), 'utf8')
    const rows = [...text.matchAll(/^\| (.+?) +\| (.*`.*) +\|$/gm)]
    expect(rows.length).toBeGreaterThan(40)
    const nameless = rows.filter(
      ([, row, tests]) =>
        !filesIn(tests).some((file) => titlesIn(file).some((title) => plain(title).includes(plain(row)))),
    )
    expect(nameless.map(([, row]) => row)).toEqual([])
  })
})

describe('a comment of a test that says what the short form has instead', () => {
  const tests = ['backend', 'cli', 'e2e', 'emulator', 'frontend', 'images', 'protocol', 'testing'].flatMap((folder) =>
    testsBelow(folder),
  )
  const inShortForm = new Set(withShortForm(tests))
  /** Comments of whole lines, each with the line behind it. */
  const COMMENTS = /(?<comment>(?:^ *(?:\/\/|\/?\*).*\n)+)(?<next>.*)/gm
  const NAME = /[\w./-]+\.test\.(?:ts|mjs)/g

  /** The test that a comment means: by its path, or the nearest one with this end of a path. Undefined: there is none. */
  const meant = (name, file) => {
    const beside = join(dirname(file), name)
    if (existsSync(beside) || name.startsWith('.')) return tests.find((test) => test === beside)
    const near = (test) => relative(dirname(file), test).split('..').length
    return tests.filter((test) => test.endsWith(`/${name}`)).sort((one, other) => near(one) - near(other))[0]
  }

  it('names tests that there are, and that the short form runs', () => {
    const names = tests.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(COMMENTS)]
        .map(({ groups }) => groups)
        .filter(({ comment, next }) => /\bshort form\b/i.test(comment) || /^ *longIt\(/.test(next))
        .flatMap(({ comment }) => comment.match(NAME) ?? [])
        .map((name) => ({ file, name, test: meant(name, file) })),
    )
    expect(names.length).toBeGreaterThan(50)
    const wrong = names.filter(({ test }) => test === undefined || !inShortForm.has(test))
    expect(wrong.map(({ file, name }) => `${relative(inRoot(), file)}: ${name}`)).toEqual([])
  })
})
