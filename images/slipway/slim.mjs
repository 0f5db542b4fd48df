// Reduces node_modules to what the server loads: the dependencies of the named workspaces, and theirs. `npm ci
// --omit=dev` would keep 200 MB of tools that some packages could use, and would need a second installation. Also
// removes files that no program reads. Run it in the top folder: node slim.mjs backend protocol
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = process.cwd()
const packageOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The folder in which Node finds a package. Null if it is not installed. */
const find = (name, from) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === root) return null
  }
}

const needsOf = ({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
]

const needed = new Set()
const visit = (folder) => {
  for (const name of needsOf(packageOf(folder))) {
    const found = find(name, folder)
    if (found === null || needed.has(found)) continue
    needed.add(found)
    visit(found)
  }
}
for (const workspace of process.argv.slice(2)) visit(resolve(workspace))

/** Every package folder below a node_modules, including scoped and nested ones. */
const installedIn = (modules) =>
  readdirSync(modules, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const folder = join(modules, entry.name)
      if (entry.name.startsWith('@')) return readdirSync(folder).map((name) => join(folder, name))
      return [folder]
    })
    .flatMap((folder) => {
      const nested = join(folder, 'node_modules')
      return existsSync(nested) ? [folder, ...installedIn(nested)] : [folder]
    })

for (const folder of installedIn(join(root, 'node_modules'))) {
  const isKept = [...needed].some((one) => one === folder || one.startsWith(`${folder}/`))
  if (!isKept) rmSync(folder, { recursive: true, force: true })
}
rmSync(join(root, 'node_modules', '.bin'), { recursive: true, force: true })

/** The last ones are Prisma's engines for other databases. */
const UNREAD = /\.(map|md|d\.[cm]?ts)$|_bg\.(mysql|sqlite|sqlserver|cockroachdb)\./
for (const entry of readdirSync(join(root, 'node_modules'), { withFileTypes: true, recursive: true })) {
  const file = join(entry.parentPath, entry.name)
  if (entry.isFile() && UNREAD.test(relative(root, file))) rmSync(file)
}
