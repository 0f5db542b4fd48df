/** Languages of code that the page colours. */
export const LANGUAGE_NAMES = [
  ...['bash', 'c', 'csharp', 'css', 'diff', 'docker', 'go', 'html', 'java', 'javascript', 'json', 'jsx', 'php'],
  ...['python', 'ruby', 'rust', 'sql', 'toml', 'tsx', 'typescript', 'vue', 'xml', 'yaml'],
] as const
export type Language = (typeof LANGUAGE_NAMES)[number]

/** Other names of languages, and endings of files. */
const ALIASES: Readonly<Record<string, Language>> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  h: 'c',
  // The grammar of C++ is larger than all the others together.
  cc: 'c',
  cpp: 'c',
  hpp: 'c',
  'c++': 'c',
  cs: 'csharp',
  patch: 'diff',
  dockerfile: 'docker',
  htm: 'html',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  svg: 'xml',
  yml: 'yaml',
}

/** The language of a fence's name or a file's ending. Null: the page shows it without colours. */
export function languageOf(name: string): Language | null {
  const plain = name.trim().toLowerCase()
  const alias = Object.hasOwn(ALIASES, plain) ? ALIASES[plain] : undefined
  return LANGUAGE_NAMES.find((language) => language === plain) ?? alias ?? null
}

/** The language of a file, by its name. */
export const languageOfPath = (path: string): Language | null =>
  languageOf(path.split('/').at(-1)?.split('.').at(-1) ?? '')
