// Makes the files of the package, because node runs no TypeScript below node_modules. `npm pack` calls it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const HERE = dirname(fileURLToPath(import.meta.url))
const DIST = join(HERE, 'dist')

/** The command, and the library `@slipway/cli/ui`, each with everything that it needs. */
const bundle = async () => {
  const { output } = await build({
    cwd: HERE,
    input: { slipway: 'src/main.ts', ui: 'src/ui/index.ts' },
    platform: 'node',
    output: { dir: DIST, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  })
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

/** The folder of the package that a bundled file belongs to; null for a file of this project. */
const packageOf = (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/'))?.[0] ?? null

/** The licences of what is in the bundle ask to be passed on. */
const writeLicenses = (files) => {
  const folders = [...new Set(files.map(packageOf).filter((folder) => folder !== null))].sort()
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    if (file === undefined) throw new Error(`${name} has no licence to pass on`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  writeFileSync(join(DIST, 'THIRD-PARTY-LICENSES'), texts.join(`\n${'-'.repeat(78)}\n\n`))
}

/** The types of the library. A program that uses it sees `.js` in their imports, as TypeScript expects. */
const writeTypes = () => {
  const types = join(DIST, 'ui')
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', types]
  const argv = [tsc, '--project', join(HERE, 'tsconfig.types.json'), ...options]
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' })
  if (status !== 0) throw new Error('the types of the library cannot be made')
  for (const name of readdirSync(types)) {
    const file = join(types, name)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}

rmSync(DIST, { recursive: true, force: true })
const files = await bundle()
writeLicenses(files)
writeTypes()
const license = join(HERE, '..', 'LICENSE')
if (existsSync(license)) copyFileSync(license, join(DIST, 'LICENSE'))
