// Reads what the platform asks about a project, and prints it as JSON. The project is not trusted: only regular files
// inside the home are read, up to a size, and no link is followed.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path'

const asked = JSON.parse(readFileSync(0, 'utf8'))
const { limits } = asked
const home = realpathSync(asked.home)
const cwd = realpathSync(asked.cwd)
const isInside = (path, folder) => path === folder || path.startsWith(folder + sep)
if (!isInside(cwd, home)) process.exit(1)

const isThere = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
const isFile = (path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
const isFolder = (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value) => (typeof value === 'string' ? value.slice(0, limits.text) : null)

/** The text of a file; null if there is none that may be read. */
const readText = (path) => {
  let file
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size } = fstatSync(file)
    if (!fstatSync(file).isFile() || size > limits.manifestBytes) return null
    const bytes = Buffer.alloc(size)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, size, 0))
  } catch {
    return null
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
/** The JSON object in a file; null if there is none that may be read. */
const read = (path) => {
  try {
    const value = JSON.parse(readText(path))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const manifestIn = (folder) => {
  const manifest = read(join(folder, 'package.json'))
  if (!manifest) return null
  const scripts = isObject(manifest.scripts) ? manifest.scripts : {}
  const { dependencies, devDependencies, workspaces } = manifest
  return {
    name: textOf(manifest.name),
    packageManager: textOf(manifest.packageManager),
    hasWorkspaces: Array.isArray(workspaces) || isObject(workspaces),
    hasDependencies: [dependencies, devDependencies].some((one) => isObject(one) && Object.keys(one).length > 0),
    isInstalled: isFolder(join(folder, 'node_modules')),
    scripts: Object.fromEntries(
      asked.scripts
        .filter(
          (name) => Object.hasOwn(scripts, name) && typeof scripts[name] === 'string' && scripts[name].trim() !== '',
        )
        .map((name) => [name, textOf(scripts[name])]),
    ),
  }
}

/** The folders from this one up to the top of the work tree, or to the home. */
const above = []
let top = null
for (let folder = cwd; isInside(folder, home) && top === null; folder = dirname(folder)) {
  above.push(folder)
  if (isThere(join(folder, '.git'))) top = folder
}
const withManifest = above.filter((folder) => isThere(join(folder, 'package.json')))
const isWorkspace = (folder) =>
  isFile(join(folder, 'pnpm-workspace.yaml')) || (manifestIn(folder)?.hasWorkspaces ?? false)
const found = withManifest.find(isWorkspace) ?? withManifest[0]
const root = found ?? top ?? cwd

const manifests = Object.create(null)
let size = 0
let truncated = false
const add = (folder, key) => {
  if (truncated || Object.hasOwn(manifests, key) || !isThere(join(folder, 'package.json'))) return
  const manifest = manifestIn(folder)
  size += key.length + JSON.stringify(manifest).length
  if (size > limits.manifests) truncated = true
  else manifests[key] = manifest
}
/** Whether no part of it below the root is a link. */
const isPlain = (folder) => {
  try {
    return realpathSync(folder) === folder
  } catch {
    return false
  }
}
if (found !== undefined) add(root, '')
const seen = new Set()
// The paths of changed files begin at the top.
for (const changed of top === null ? [] : asked.changed) {
  for (let folder = join(top, changed); folder !== root && isInside(folder, root); folder = dirname(folder)) {
    if (seen.has(folder)) break
    seen.add(folder)
    if (isPlain(folder)) add(folder, relative(root, folder))
  }
}
const commands = read(join(home, '.config', 'slipway', 'validation.json'))?.commands
/** The folder's name of the repository of a worktree; null for any other work tree. A submodule has no `commondir`. */
const repositoryOf = (tree) => {
  const [, at] = /^gitdir: (.+)\n?$/.exec(readText(join(tree, '.git')) ?? '') ?? []
  const admin = at === undefined ? null : resolve(tree, at)
  if (admin === null || !isInside(admin, home)) return null
  const common = readText(join(admin, 'commondir'))?.trim()
  const named = readText(join(admin, 'gitdir'))?.trim()
  // The repository itself must name the worktree: a folder that only claims to be one gets no command of another project.
  if (!common || !named || resolve(admin, named) !== join(tree, '.git')) return null
  const git = resolve(admin, common)
  return basename(git) === '.git' ? basename(dirname(git)) : basename(git, '.git')
}
const projects = [basename(root), root === top ? repositoryOf(top) : null]
const project = isObject(commands) ? projects.find((name) => name !== null && Object.hasOwn(commands, name)) : undefined
const command = project === undefined ? null : textOf(commands[project])

const path = (process.env.PATH ?? '').split(delimiter)
console.log(
  JSON.stringify({
    root,
    prefix: top === null ? '' : relative(top, root),
    manifests,
    truncated,
    files: asked.files.filter((name) => isFile(join(root, name))),
    programs: asked.programs.filter((name) => path.some((folder) => existsSync(join(folder, name)))),
    command: command?.trim() ? command : null,
  }),
)
