/** The text editor: CodeMirror 6 with the languages that it knows. Loaded when a user edits for the first time. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  LanguageDescription,
  syntaxHighlighting,
} from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { unifiedMergeView } from '@codemirror/merge'
import { Compartment, EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Colours of the theme, which follow the light and the dark page by themselves. */
const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--edit-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--edit-string)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ui-text-muted)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--edit-number)' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: 'var(--edit-type)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--edit-function)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--edit-property)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: [tags.link, tags.url], textDecoration: 'underline' },
  { tag: tags.invalid, color: 'var(--ui-error)' },
])

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '0.8125rem', color: 'var(--ui-text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.25rem' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--ui-text-highlighted)' },
  '.cm-cursor': { borderLeftColor: 'var(--ui-text-highlighted)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ui-text-dimmed)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.5rem 0 1rem' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--ui-bg-elevated) 60%, transparent)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--ui-primary) 28%, transparent)',
  },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--ui-warning) 35%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--ui-bg-elevated)', color: 'var(--ui-text)', borderColor: 'var(--ui-border)' },
  '.cm-textfield': { backgroundColor: 'var(--ui-bg)', borderColor: 'var(--ui-border-accented)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--ui-bg-accented)', border: 'none' },
  '.cm-collapsedLines': {
    background: 'var(--ui-bg-elevated)',
    color: 'var(--ui-text-muted)',
    fontFamily: 'var(--font-sans)',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: "''", margin: '0' },
  '.cm-specialChar': { color: 'var(--ui-error)' },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--ui-primary) 20%, transparent)' },
})

/** What an editor shows, and what it calls. */
export interface EditorOptions {
  readonly parent: HTMLElement
  readonly name: string
  readonly text: string
  readonly lineEnd: '\n' | '\r\n'
  /** A line to go to, from 1. */
  readonly line: number | null
  readonly onChange: () => void
  readonly onSave: () => void
}

/** An open editor. */
export interface Editor {
  /** The text with the line ends of the file. */
  text(): string
  /** Replaces the text, as a step that can be undone. */
  replace(text: string): void
  focus(): void
  close(): void
}

export function openEditor({ parent, name, text, lineEnd, line, onChange, onSave }: EditorOptions): Editor {
  const language = new Compartment()
  const save = (): boolean => {
    onSave()
    return true
  }
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...[lineNumbers(), foldGutter(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars()],
        ...[history(), drawSelection(), indentOnInput(), bracketMatching(), highlightSelectionMatches()],
        search({ top: true }),
        syntaxHighlighting(HIGHLIGHTS),
        language.of([]),
        EditorState.lineSeparator.of(lineEnd),
        // What comes from elsewhere may end its lines in another way, which would make one line of them.
        EditorView.clipboardInputFilter.of((pasted) => pasted.replaceAll(/\r\n?|\n/g, lineEnd)),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': `Edit ${name}` }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange()
        }),
        keymap.of([
          { key: 'Mod-s', run: save, preventDefault: true },
          ...[...searchKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab],
        ]),
        THEME,
      ],
    }),
  })
  void LanguageDescription.matchFilename(languages, name)
    ?.load()
    .then((support) => view.dispatch({ effects: language.reconfigure(support) }))
    // The text stays plain.
    .catch(() => undefined)
  if (line !== null) {
    const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines))
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  }
  return {
    text: () => view.state.sliceDoc(),
    replace: (next) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(next) } }),
    focus: () => view.focus(),
    close: () => view.destroy(),
  }
}

/** Shows how a text differs from another one, without changing either. Returns the function that closes it. */
export function showDifferences(parent: HTMLElement, theirs: string, mine: string): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: mine,
      extensions: [
        lineNumbers(),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Differences between the file and your text' }),
        unifiedMergeView({ original: theirs, mergeControls: false, collapseUnchanged: {} }),
        THEME,
      ],
    }),
  })
  return () => view.destroy()
}
