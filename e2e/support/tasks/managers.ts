/** Package managers of the npm registry, brought into an agent, which may have no network. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '../api.ts'
import { sh } from './model.ts'

const run = promisify(execFile)

/** A manager that the image does not have. */
export type Fetched = 'yarn' | 'pnpm' | 'bun'

/** The package with the program of each, and the program in it. Node runs those that are scripts. */
const PACKAGES: Readonly<Record<Fetched, { readonly name: string; readonly program: string }>> = {
  yarn: { name: 'yarn@1', program: 'bin/yarn.js' },
  // A later major version needs a later Node.
  pnpm: { name: 'pnpm@10', program: 'bin/pnpm.cjs' },
  bun: { name: `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, program: 'bin/bun' },
}

/** Puts a manager into an agent, at a place of its PATH. */
export const bringManager = async (client: Client, agent: string, manager: Fetched): Promise<void> => {
  const { name, program } = PACKAGES[manager]
  const folder = mkdtempSync(join(tmpdir(), 'slipway-manager-'))
  try {
    await run('npm', ['pack', name, '--pack-destination', folder], { cwd: folder })
    const [tarball = ''] = readdirSync(folder)
    await client.upload(agent, `${manager}.tgz`, readFileSync(join(folder, tarball)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  await sh(
    client,
    agent,
    `mkdir -p .local/bin .local/lib/${manager} && tar -xzf ${manager}.tgz -C .local/lib/${manager} --strip-components=1
    rm ${manager}.tgz && chmod 755 .local/lib/${manager}/${program}
    ln -sf ../lib/${manager}/${program} .local/bin/${manager} && ${manager} --version`,
  )
}

/** Makes a project of a manager and a monorepo of two packages, `NAME` and `NAME-mono`, in git work trees. */
export const projectsOf = (manager: Fetched): string => {
  const lock = { yarn: 'yarn.lock', pnpm: 'pnpm-lock.yaml', bun: 'bun.lock' }[manager]
  const isTest = `import { test } from "node:test"; test("is", () => undefined)`
  const one = (name: string): string =>
    `mkdir -p packages/${name} && echo '{"name":"@mono/${name}","version":"1.0.0","scripts":{"build":"node --check is.test.mjs","test":"node --test"}}' >packages/${name}/package.json
    echo '${isTest}' >packages/${name}/is.test.mjs`
  const commit = 'git init -q && git add -A && git commit -qm start'
  return `mkdir ${manager} && cd ${manager} && echo '{"scripts":{"build":"node --check is.test.mjs","test":"node --test"}}' >package.json
    touch ${lock} && echo '${isTest}' >is.test.mjs && ${commit} && cd ..
    mkdir ${manager}-mono && cd ${manager}-mono && touch ${lock}
    echo '{"name":"mono","private":true,"workspaces":["packages/*"]}' >package.json
    echo 'packages: ["packages/*"]' >pnpm-workspace.yaml
    ${manager === 'pnpm' ? '' : 'rm pnpm-workspace.yaml'}
    ${one('a')}
    ${one('b')}
    ${commit}`
}
