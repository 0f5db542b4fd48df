import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { securePrograms, withoutParents } from './parents.mjs'
import { inRoot, root } from './paths.mjs'

const isRoot = process.getuid?.() === 0
/** An account that every Unix has, and a user id without an account. */
const DAEMON = 1
const NOBODYS = 54_321

let parent
let checkout
const made = []
beforeEach(() => {
  parent = mkdtempSync(join(realpathSync(tmpdir()), 'slipway-parents-'))
  checkout = join(parent, 'checkout')
  mkdirSync(checkout)
})
afterEach(() => {
  rmSync(parent, { recursive: true })
  // Other users may write to the temporary folder itself.
  for (const folder of made.splice(0)) if (!folder.startsWith(parent)) rmdirSync(folder)
})
const secure = (env = {}) => {
  const folders = securePrograms(checkout, env)
  made.push(...folders)
  return folders.filter((folder) => folder.startsWith(parent))
}
const modules = () => join(parent, 'node_modules')

describe('root starts below folders to which', () => {
  it('only it may write', () => {
    expect(secure()).toEqual([])
    mkdirSync(modules())
    expect(secure()).toEqual([])
  })

  it('other users may write under the sticky bit, after it has taken the name of the packages', () => {
    chmodSync(parent, 0o1777)
    expect(secure()).toEqual([modules()])
    expect(secure()).toEqual([])
  })

  it.runIf(isRoot)('an owner writes who has the checkout, became root, or has no account', () => {
    chownSync(parent, NOBODYS, NOBODYS)
    expect(secure()).toEqual([])
    chownSync(parent, DAEMON, DAEMON)
    expect(secure({ SUDO_UID: `${DAEMON}`, SUDO_GID: `${DAEMON}` })).toEqual([])
    chownSync(checkout, DAEMON, DAEMON)
    expect(secure()).toEqual([])
  })
})

describe('another user’s program runs as root, from a folder above the checkout: root does not start below folders to which', () => {
  it.each([0o777, 0o757])('all users may write: mode %o', (mode) => {
    chmodSync(parent, mode)
    expect(() => secure()).toThrow(`Other users may write to ${parent},`)
  })

  it('all users may write, the checkout among them', () => {
    chmodSync(checkout, 0o777)
    expect(() => secure()).toThrow(`Other users may write to ${checkout},`)
  })

  it.runIf(isRoot)('another account or its group may write', () => {
    chownSync(parent, DAEMON, 0)
    expect(() => secure()).toThrow(`${parent},`)
    chownSync(parent, 0, DAEMON)
    expect(secure()).toEqual([])
    chmodSync(parent, 0o775)
    expect(() => secure()).toThrow(`${parent},`)
  })

  it.each([
    ['a folder that all users may write', () => (mkdirSync(modules()), chmodSync(modules(), 0o777))],
    ['a link', () => symlinkSync(checkout, modules())],
    ['a link to nothing', () => symlinkSync('nothing', modules())],
    ['a file', () => writeFileSync(modules(), '')],
  ])('other users have put %s in the place of packages', (_what, put) => {
    chmodSync(parent, 0o1777)
    put()
    expect(() => secure()).toThrow(`${modules()},`)
  })
})

describe('programs in folders above the checkout', () => {
  it('are not on the PATH, those of the checkout and of the system are', () => {
    const own = inRoot('node_modules', '.bin')
    const system = ['/usr/bin', '/bin']
    const others = [
      '/node_modules/.bin',
      join(root, '..', 'node_modules', '.bin'),
      join(own, '..', 'x', 'node_modules', '.bin'),
    ]
    expect(withoutParents([...others, own, ...system, '/elsewhere/node_modules/.bin'].join(delimiter))).toBe(
      [own, ...system].join(delimiter),
    )
  })

  it('are not run: neither by npm, nor in the place of Node, nor by a script', () => {
    const bin = join(modules(), '.bin')
    mkdirSync(bin, { recursive: true })
    for (const name of ['sh', 'node', 'canary'])
      writeFileSync(join(bin, name), `#!/bin/sh\necho ran ${name}\n`, { mode: 0o755 })
    copyFileSync(inRoot('.npmrc'), join(checkout, '.npmrc'))
    const { up } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).scripts
    writeFileSync(join(checkout, 'package.json'), JSON.stringify({ name: 'x', scripts: { up } }))
    mkdirSync(join(checkout, 'scripts'))
    const script = `
      import { spawnSync } from 'node:child_process'
      import { withoutParents } from ${JSON.stringify(inRoot('scripts', 'lib', 'parents.mjs'))}
      process.env.PATH = withoutParents(process.env.PATH, ${JSON.stringify(checkout)})
      console.log('canary:', spawnSync('canary').error?.code)`
    writeFileSync(join(checkout, 'scripts', 'up.mjs'), script)
    const { stdout } = spawnSync('npm', ['run', '--silent', 'up'], { cwd: checkout, encoding: 'utf8' })
    expect(stdout).toBe('canary: ENOENT\n')
  })

  it('are not what the scripts of package.json begin with', () => {
    const { scripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
    expect(Object.values(scripts).filter((line) => /^(exec )?node\b/.test(line))).toEqual([])
  })
})
