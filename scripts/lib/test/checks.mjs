// The checks that are not tests: lint and types.
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runVisibly } from '../commands.mjs'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'
import { failure, PASSED, sum } from './report/tally.mjs'
import { STAGE_WITHIN_MS } from './vitest.mjs'
import { writeVueScripts } from './vue-scripts.mjs'

/** With a cache, files that have not changed are not checked again. */
const ESLINT_CACHE = ['--cache', '--cache-location', inRoot('node_modules', '.cache', 'eslint/')]
const LINTED = /\.(?:ts|mts|mjs|js|vue)$/
/** Turbo runs the packages' scripts. These settings stop its questions and reports. */
const TURBO = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }

/** A check by a program whose exit code is the result. */
export const simple = async (title, argv, { env, signal, output, onCpuMs }) => {
  const options = { env: { ...env, ...TURBO }, signal, timeoutMs: STAGE_WITHIN_MS, fd: output.fd, onCpuMs }
  const code = await runVisibly(argv, options)
  if (code === 0) return PASSED
  output.say(`✗ ${title}`)
  return failure(title)
}

/** What oxlint checks with types (`.oxlintrc.json`): TypeScript files, and the scripts of Vue files. */
const typedFiles = async (files, folder) => {
  if (files?.some((file) => file.endsWith('.vue')) === false) return files.filter((file) => file.endsWith('.ts'))
  const scripts = await writeVueScripts(join(folder, 'vue-scripts'))
  if (files === null) return ['.', ...scripts.values()]
  return files.flatMap((file) => scripts.get(file) ?? (file.endsWith('.ts') ? file : []))
}

/** @param {string[] | null} files absolute paths; null: all of the checkout */
export const lint = async (files, run) => {
  const linted = files?.filter((file) => LINTED.test(file)) ?? ['.']
  const typed = await typedFiles(files, run.folder)
  const check = (name, ...args) => simple(name, [projectNode(), dependencyBin(name), ...args], run)
  const checks = [check('oxfmt', '--check', '--no-error-on-unmatched-pattern', ...(files ?? ['.']))]
  if (linted.length > 0) checks.push(check('eslint', ...ESLINT_CACHE, '--no-warn-ignored', ...linted))
  if (typed.length > 0) checks.push(check('oxlint', '--type-aware', '--config', inRoot('.oxlintrc.json'), ...typed))
  const { failures } = sum(await Promise.all(checks))
  return failures.length === 0 ? PASSED : failure(`lint: ${failures.join(', ')}`)
}

/** Folders that the workspace knows as packages. */
const packages = () =>
  readdirSync(inRoot(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(inRoot(), entry.name, 'package.json')))
    .map(({ name }) => name)
/** A folder that has types and is not a package. */
const IMAGES = 'images'

/**
 * @param {string[] | null} files absolute paths; null: all of the checkout. The check covers the whole package of each
 *   file, and all packages that use it.
 */
export const types = async (files, run) => {
  const touched = files && new Set(files.map((file) => relative(inRoot(), file).split('/')[0]))
  const named = packages().filter((name) => touched?.has(name))
  const turbo = [dependencyBin('turbo'), 'run', 'typecheck', '--ui=stream', '--output-logs=errors-only']
  const filters = named.map((name) => `--filter=...@slipway/${name}`)
  const checks = []
  if (touched === null || named.length > 0) checks.push(simple('types', [...turbo, ...filters], run))
  if (touched === null || touched.has(IMAGES)) {
    const tsc = [
      projectNode(),
      inRoot('node_modules', 'typescript-native', 'bin', 'tsc'),
      '--noEmit',
      '--project',
      IMAGES,
    ]
    checks.push(simple('types of images', tsc, run))
  }
  return sum(await Promise.all(checks))
}

/** Whether `files` have types that {@link types} would check. */
export const hasTypes = (files) => {
  const folders = [...packages(), IMAGES]
  return files.some((file) => /\.(?:ts|vue)$/.test(file) && folders.includes(relative(inRoot(), file).split('/')[0]))
}
