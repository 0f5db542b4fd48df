/** Development servers from npm, brought into an agent, which may have no network. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '../api.ts'
import { sh } from '../tasks/model.ts'

const run = promisify(execFile)

/** The packages of this checkout. */
const MODULES = join(import.meta.dirname, '../../../node_modules')

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as Manifest

/** The packages that one of this checkout needs on this machine, with itself. */
const withDependencies = (name: string, found = new Set<string>()): Set<string> => {
  if (found.has(name) || !existsSync(join(MODULES, name))) return found
  found.add(name)
  const { dependencies, optionalDependencies } = manifestOf(name)
  for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) withDependencies(one, found)
  return found
}

export interface App {
  /** Its name in the home. */
  readonly folder: string
  /** By their paths in it. */
  readonly files: Readonly<Record<string, string>>
}

/** Puts packages and files into a folder of an agent's home. */
const bring = async (
  client: Client,
  agent: string,
  { folder, files }: App,
  { modules, packages }: { readonly modules: string; readonly packages: readonly string[] },
): Promise<void> => {
  const options = ['-C', modules, '-I', 'gzip -1', '-cf', '-']
  const tar = spawn('tar', [...options, ...packages], { stdio: ['ignore', 'pipe', 'inherit'] })
  await client.upload(agent, `${folder}.tar.gz`, await buffer(tar.stdout))
  const folders = Object.keys(files).map((path) => `${folder}/${dirname(path)}`)
  await sh(
    client,
    agent,
    `mkdir -p ${folder}/node_modules ${folders.join(' ')}
    tar -xzf ${folder}.tar.gz -C ${folder}/node_modules && rm ${folder}.tar.gz`,
  )
  for (const [path, content] of Object.entries(files)) await client.upload(agent, `${folder}/${path}`, content)
}

/** Brings an app with a package of this checkout. */
export const bringOwn = (client: Client, agent: string, name: string, app: App): Promise<void> =>
  bring(client, agent, app, { modules: MODULES, packages: [...withDependencies(name)] })

/** Brings an app with packages of the npm registry. They are those of this machine's kind, which is the container's. */
export const bringInstalled = async (
  client: Client,
  agent: string,
  packages: readonly string[],
  app: App,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-app-'))
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--libc=glibc', '--prefix', folder]
    await run('npm', ['install', ...options, ...packages], { cwd: folder })
    await bring(client, agent, app, { modules: join(folder, 'node_modules'), packages: ['.'] })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
