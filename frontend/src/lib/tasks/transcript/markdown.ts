/** Markdown of a model as safe HTML. It is foreign text: no HTML of its own, no pictures, and links to the web only. */
import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'

/** A part of a text: HTML, or code that the page colours itself. */
export type Block =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'code'; readonly code: string; readonly language: string }

const WEB = /^(https?:|mailto:)/i

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true })
// A picture would be a request to another origin.
markdown.disable('image')
markdown.validateLink = (url) => WEB.test(url)
markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('target', '_blank')
  tokens[index]?.attrSet('rel', 'noopener noreferrer')
  return self.renderToken(tokens, index, options)
}
// Headings of a model's text are no headings of the page.
for (const rule of ['heading_open', 'heading_close'] as const)
  markdown.renderer.rules[rule] = (tokens, index) => {
    const { tag = 'h6', nesting } = tokens[index] ?? {}
    return nesting === 1 ? `<p class="md-heading md-${tag}">` : '</p>'
  }
markdown.renderer.rules.table_open = () => '<div class="md-table" tabindex="0"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'

const clean = (html: string): string =>
  DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [
      ...['a', 'p', 'br', 'hr', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li'],
      ...['div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ],
    ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'start', 'tabindex'],
    ALLOWED_URI_REGEXP: WEB,
  })

/** The parts of a text. Fences at its top level are code, also while their end has not arrived. */
export function blocksOf(text: string): Block[] {
  const env = {}
  const tokens = markdown.parse(text, env)
  const blocks: Block[] = []
  let from = 0
  const close = (to: number): void => {
    if (to > from)
      blocks.push({
        kind: 'html',
        html: clean(markdown.renderer.render(tokens.slice(from, to), markdown.options, env)),
      })
  }
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'fence' || token.level !== 0) continue
    close(index)
    from = index + 1
    blocks.push({
      kind: 'code',
      code: token.content.replace(/\n$/, ''),
      language: token.info.trim().split(/\s/, 1)[0] ?? '',
    })
  }
  close(tokens.length)
  return blocks
}
