/**
 * Lint rules; the graph of imports is the one drawn in docs/architecture.md. Rules that need types are in `.oxlintrc.json`, because
 * oxlint takes a tenth of the time. It has none for Vue's files, so theirs are here.
 */
import js from '@eslint/js'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

/**
 * The rooms of `backend/src`, from the ground up. A room imports only rooms of the lines above its own. Rooms of one line are
 * siblings, which do not import each other. `plugins` are cross-cutting and know no domain.
 */
const BACKEND = [
  ['lib'],
  ['modules/providers'],
  ['runtime', 'database'],
  ['plugins'],
  ['modules/audit'],
  ['modules/identity'],
  ['modules/access'],
  ['modules/idempotency', 'modules/agents', 'modules/templates'],
  ['modules/credentials'],
  ['modules/sessions'],
  ['modules/dialogs', 'modules/skills'],
  ['modules/git'],
  ['modules/worktrees'],
  ['modules/terminal', 'modules/exec', 'modules/files', 'modules/ports', 'modules/runs'],
  ['modules/asks', 'modules/conversations', 'modules/validation', 'modules/publish', 'modules/preparations'],
  [
    'modules/events',
    'modules/tools',
    'modules/git-access',
    'modules/webhooks',
    'modules/channels',
    'modules/dashboard',
    'modules/ssh',
  ],
  ['modules/relay'],
  ['composition'],
]

/** What a room of a lower line must not import all the same. */
const FORBIDDEN = {
  // Only app.ts chooses the runtime.
  'modules/agents': ['runtime/docker'],
  'modules/sessions': ['runtime/docker'],
  'modules/dialogs': ['runtime'],
  'modules/skills': ['runtime/docker'],
  'modules/git': ['runtime/docker', 'modules/dialogs', 'modules/skills', 'modules/sessions'],
  'modules/worktrees': ['runtime/docker', 'modules/dialogs'],
  'modules/terminal': ['runtime/docker'],
  'modules/exec': ['runtime/docker'],
  'modules/files': ['runtime/docker'],
  'modules/ports': ['runtime/docker'],
  'modules/runs': ['runtime/docker'],
  'modules/asks': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files'],
  'modules/conversations': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files'],
  'modules/git-access': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files', 'modules/runs'],
  'modules/preparations': ['runtime', 'modules/terminal', 'modules/files'],
  'modules/channels': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files'],
  'modules/dashboard': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files'],
  'modules/ssh': ['runtime/docker', 'modules/terminal', 'modules/exec', 'modules/files', 'modules/runs'],
  'modules/webhooks': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files'],
  // They know no containers.
  'modules/audit': ['runtime'],
  'modules/identity': ['runtime'],
  'modules/access': ['runtime'],
  'modules/templates': ['runtime'],
  'modules/idempotency': ['runtime'],
  'modules/credentials': ['runtime'],
  // It hears of terminals through a signal.
  'modules/events': ['runtime', 'modules/terminal', 'modules/exec', 'modules/files', 'modules/runs'],
}

/** The same for `frontend/src`: from what knows no framework to what composes. */
const FRONTEND = [
  ['lib'],
  ['api'],
  ['terminal', 'recordings'],
  ['stores'],
  ['composables'],
  ['components'],
  ['pages'],
  ['router'],
]

/** The same inside of `frontend/src/terminal`: the socket knows no screen. */
const TERMINAL = [['session'], ['input', 'programs', 'links'], ['screen']]

/** What knows no framework imports none of these. */
const FRAMEWORK = {
  rooms: ['lib', 'api', 'terminal', 'recordings'],
  pattern: { regex: '^(vue|vue-router|pinia|@vueuse/.*|@nuxt/.*)$', message: 'this room knows no framework' },
}

/** A relative import reaches a room by ending in its path, however many steps up it takes. */
const forbid = (rooms, message) =>
  rooms.map((room) => ({
    regex: `^(@/|\\.\\.?/(\\.\\./)*)${room.replace('modules/', '(modules/)?')}/`,
    message,
  }))

const restricted = (files, rooms, message, further) => ({
  files,
  ignores: ['**/*.test.ts', '**/testing/**'],
  rules: { 'no-restricted-imports': ['error', { patterns: [...forbid(rooms, message), ...further] }] },
})

/** The rules of one ordered list of rooms. `extra` are further rooms, and `further` further patterns, that a room does not import. */
const layersOf = (root, lines, extra = {}, further = () => []) =>
  lines.flatMap((line, at) =>
    line.map((room) => {
      const above = lines.slice(at + 1).flat()
      const siblings = line.filter((other) => other !== room)
      return restricted(
        [`${root}/${room}/**/*.{ts,vue}`],
        [...above, ...siblings, ...(extra[room] ?? [])],
        `${room} does not import this room: imports point one way (docs/architecture.md)`,
        further(room),
      )
    }),
  )

/** What all of `terminal` does not import; the last rule for a file replaces the others. */
const aboveTerminal = [
  'recordings',
  ...FRONTEND.slice(FRONTEND.findIndex((line) => line.includes('terminal')) + 1).flat(),
]

const layers = [
  ...layersOf('backend/src', BACKEND, FORBIDDEN),
  ...layersOf('frontend/src', FRONTEND, {}, (room) => (FRAMEWORK.rooms.includes(room) ? [FRAMEWORK.pattern] : [])),
  ...layersOf(
    'frontend/src/terminal',
    TERMINAL,
    Object.fromEntries(TERMINAL.flat().map((room) => [room, aboveTerminal])),
    () => [FRAMEWORK.pattern],
  ),
]

/** A query: something of `prisma` is read or destructured, be it a variable or a field. */
const USES_PRISMA =
  ':matches(MemberExpression > .object, VariableDeclarator[id.type="ObjectPattern"] > .init)' +
  ':matches(Identifier[name="prisma"], MemberExpression[property.name="prisma"])'

/** What some files of the backend alone may use. The files of no two of these are the same: the last rule for a file replaces the others. */
const RESERVED = [
  {
    selectors: ['[source.value=/^dockerode/]'],
    to: ['backend/src/runtime/docker/**/*.ts'],
    message: 'only runtime/docker may use dockerode',
  },
  {
    selectors: ['[source.value=/^@prisma|database.generated/]', USES_PRISMA],
    // The audit log declares every column of every model.
    to: [
      'backend/src/**/{repository,*-repository}.ts',
      'backend/src/database/**/*.ts',
      'backend/src/modules/audit/audited.ts',
      'backend/src/modules/audit/audited/*.ts',
    ],
    message: 'only a repository may use Prisma; what puts a module together hands it on as Database["prisma"]',
  },
]

const restrictedSyntax = (files, reserved) => ({
  files,
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...reserved.flatMap(({ selectors, message }) => selectors.map((selector) => ({ selector, message }))),
    ],
  },
})

const reservations = [
  restrictedSyntax(['backend/src/**/*.ts'], RESERVED),
  ...RESERVED.map((own) =>
    restrictedSyntax(
      own.to,
      RESERVED.filter((other) => other !== own),
    ),
  ),
]

/**
 * The tests and benchmarks that start the product as a process import nothing of it, not even a type. What they expect of it is in
 * `protocol`, or they say it themselves.
 */
const PRODUCT = '(^|/)(backend|frontend)(/|$)'
const BLACK_BOX =
  'this starts the product as a process: import nothing of the backend or the front end (docs/architecture.md)'
const importsProduct = ['ImportExpression > .source', 'TSImportType > .source'].map((source) => ({
  selector: `${source}[value=/${PRODUCT.replaceAll('/', '\\u002F')}/]`,
  message: BLACK_BOX,
}))
const outside = {
  files: ['e2e/**/*.ts', 'bench/**/*.ts', 'testing/**/*.ts', 'cli/**/*.ts'],
  rules: {
    'no-restricted-imports': ['error', { patterns: [{ regex: PRODUCT, message: BLACK_BOX }] }],
    'no-restricted-syntax': ['error', ...importsProduct],
  },
}

/** The pages of these tests are what a user's browser shows, with its cache. */
const endToEnd = {
  files: ['e2e/**/*.ts'],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...importsProduct,
      {
        selector: 'CallExpression[callee.property.name=/^(route|routeFromHAR)$/]',
        message:
          "routes of Playwright's own switch off the page's HTTP cache, so that parts of it are lost to a change of the network: " +
          'use intercept() of e2e/support/network/intercept.ts',
      },
    ],
  },
}

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '**/.turbo/**', 'e2e/results/**', 'examples/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict.map((config) => ({ ...config, files: ['**/*.ts', 'frontend/**/*.vue'] })),
  ...vue.configs['flat/recommended'].map((config) => ({ ...config, files: ['frontend/**/*.vue'] })),
  {
    files: ['**/*.ts', '**/*.vue'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-console': 'error',
    },
  },
  {
    files: ['frontend/**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      'vue/multi-word-component-names': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Buffer: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        WebAssembly: 'readonly',
        queueMicrotask: 'readonly',
        performance: 'readonly',
        TextDecoder: 'readonly',
        Headers: 'readonly',
      },
    },
  },
  ...layers,
  outside,
  endToEnd,
  ...reservations,
)
