/** Lint rules; the graph of imports is the one drawn in docs/architecture.md. */
import js from '@eslint/js'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

/**
 * Which folders of `backend/src` a layer must not import: everything above it, and its siblings.
 * protocol, lib -> runtime -> audit -> identity -> access -> agents -> credentials -> {terminal, files, events} -> app.ts
 */
const ABOVE = {
  lib: ['runtime', 'modules', 'plugins'],
  runtime: ['modules', 'plugins'],
  'modules/audit': [
    'runtime',
    'modules/identity',
    'modules/access',
    'modules/agents',
    'modules/credentials',
    'modules/terminal',
    'modules/files',
    'modules/events',
  ],
  'modules/identity': [
    'runtime',
    'modules/access',
    'modules/agents',
    'modules/credentials',
    'modules/terminal',
    'modules/files',
    'modules/events',
  ],
  'modules/access': [
    'runtime',
    'modules/agents',
    'modules/credentials',
    'modules/terminal',
    'modules/files',
    'modules/events',
  ],
  'modules/idempotency': [
    'runtime',
    'modules/agents',
    'modules/credentials',
    'modules/terminal',
    'modules/files',
    'modules/events',
  ],
  'modules/agents': ['runtime/docker', 'modules/credentials', 'modules/terminal', 'modules/files', 'modules/events'],
  'modules/credentials': ['runtime', 'modules/terminal', 'modules/files', 'modules/events'],
  'modules/terminal': ['runtime/docker', 'modules/files', 'modules/events'],
  'modules/files': ['runtime/docker', 'modules/terminal', 'modules/events'],
  'modules/events': ['runtime/docker', 'modules/terminal', 'modules/files'],
  plugins: ['modules/agents', 'modules/credentials', 'modules/terminal', 'modules/files', 'modules/events'],
}

/** A relative import reaches a folder by ending in its path, however many steps up it takes. */
const forbid = (folders, message) =>
  folders.map((folder) => ({ regex: `^\\.\\.?/(\\.\\./)*${folder.replace('modules/', '(modules/)?')}/`, message }))

const layers = Object.entries(ABOVE).map(([layer, folders]) => ({
  files: [`backend/src/${layer}/**/*.ts`],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: forbid(folders, `${layer} is below this folder: imports point one way (docs/architecture.md)`) },
    ],
  },
}))

/** One folder alone may use these packages. */
const only = (packages, folder) => ({
  files: ['backend/src/**/*.ts'],
  ignores: [`backend/src/${folder}/**`, '**/*.test.ts'],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...packages.map((name) => ({
        selector: `ImportDeclaration[source.value=/^${name}/]`,
        message: `only ${folder} may use ${name}`,
      })),
    ],
  },
})

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', '**/.turbo/**', 'e2e/results/**', 'examples/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.vue'] })),
  ...vue.configs['flat/recommended'].map((config) => ({ ...config, files: ['frontend/**/*.vue'] })),
  {
    files: ['**/*.ts', '**/*.vue'],
    languageOptions: {
      parserOptions: {
        projectService: true,
        extraFileExtensions: ['.vue'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // It takes a parameter's `WebSocket` for another class of the same name.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true, allowRethrowing: true }],
      'no-console': 'error',
    },
  },
  {
    // Answers in tests are looked at, not trusted.
    files: ['**/*.test.ts', '**/test/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
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
  only(['dockerode'], 'runtime/docker'),
)
