// What the documents point at is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from './paths.mjs'

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => inRoot(name)),
  ...readdirSync(inRoot('docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => inRoot('docs', name)),
]

/** The anchors of a document's headings, as they are made where the project is read. */
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
