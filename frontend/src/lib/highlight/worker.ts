/** Runs as a worker: splits code into coloured pieces. Long code would hold up the page's own thread. */
import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
// This engine needs no WebAssembly.
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { GRAMMARS } from './grammars.ts'
import type { Coloured, Question } from './highlight.ts'

/** Themes whose colours have enough contrast on the page's surfaces. */
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-default' } as const

let made: Promise<HighlighterCore> | null = null
const highlighter = (): Promise<HighlighterCore> =>
  (made ??= createHighlighterCore({
    themes: [import('shiki/themes/github-light-high-contrast.mjs'), import('shiki/themes/github-dark-default.mjs')],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  }))

async function colour({ code, language }: Question): Promise<Coloured> {
  const shiki = await highlighter()
  if (!shiki.getLoadedLanguages().includes(language)) await shiki.loadLanguage(GRAMMARS[language]())
  return shiki
    .codeToTokensWithThemes(code, {
      ...{ lang: language, themes: THEMES },
      // After a limit, the rest of a line has the colour of one piece. The page ends a worker that takes too long.
      tokenizeTimeLimit: 0,
    })
    .map((line) =>
      line.map(({ content, variants }) => [content, variants['light']?.color ?? '', variants['dark']?.color ?? '']),
    )
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  colour(data).then(
    (lines) => postMessage({ id: data.id, lines }),
    // The page keeps the plain text.
    () => postMessage({ id: data.id, lines: null }),
  )
})
