// The input of an image's build: the files of its folder, with certificates and npm settings of the building machine.
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** Where Debian keeps the certificates that an administrator added. */
const HOST_CERTIFICATES = '/usr/local/share/ca-certificates'
/** Settings of npm that say where packages come from. The build uses no other settings of the user. */
const NPM_SOURCE_SETTING = /^(@[\w.-]+:registry|registry|\/\/[^=]+|proxy|https-proxy|noproxy|strict-ssl)\s*=/

const isInput = (file) => !/\.test\.|(^|\/)(README\.md|\.dockerignore)$/.test(file)

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) // a link to a file counts as a file
    .map((file) => relative(folder, file))
    .sort()

const hostCertificates = () =>
  existsSync(HOST_CERTIFICATES) ? filesBelow(HOST_CERTIFICATES).filter((file) => file.endsWith('.crt')) : []

/**
 * Computes a hash of everything that decides the image's content: its folder's files, the certificates that the machine
 * trusts, and the build arguments. The source of the packages is not part of it.
 *
 * @param {string} folder the image's folder
 * @param {Record<string, string>} buildArgs
 * @returns {string} twelve hexadecimal digits
 */
export const hashInputs = (folder, buildArgs) => {
  const hash = createHash('sha256')
  const add = (name, content) => {
    const bytes = Buffer.from(content)
    hash.update(`${name}\0${bytes.length}\0`).update(bytes)
  }
  for (const file of filesBelow(folder).filter(isInput)) add(file, readFileSync(join(folder, file)))
  for (const file of hostCertificates()) {
    add(`certificates/${file}`, readFileSync(join(HOST_CERTIFICATES, file)))
  }
  for (const name of Object.keys(buildArgs).sort()) add(`--build-arg ${name}`, buildArgs[name])
  return hash.digest('hex').slice(0, 12)
}

/** Lines of this machine's npm settings that say where packages come from, with values for `${VARIABLES}`. */
const npmSources = () => {
  const { npm_config_userconfig, npm_config_globalconfig, NPM_CONFIG_REGISTRY } = process.env
  const files = [npm_config_globalconfig, npm_config_userconfig ?? join(homedir(), '.npmrc')]
  const lines = files
    .filter((file) => file && existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => NPM_SOURCE_SETTING.test(line))
  if (NPM_CONFIG_REGISTRY) lines.push(`registry=${NPM_CONFIG_REGISTRY}`)
  return lines.map((line) => line.replace(/\$\{(\w+)\}/g, (_, name) => process.env[name] ?? ''))
}

/**
 * Runs `work` with a temporary copy of the image's folder, which has the machine's certificates and npm settings, too.
 * The copy is removed afterwards, so nothing of it can be committed.
 *
 * @param {string} folder the image's folder
 * @param {(context: string) => Promise<T>} work is called with the copy's path
 * @returns {Promise<T>}
 * @template T
 */
export const withBuildContext = async (folder, work) => {
  const context = mkdtempSync(join(tmpdir(), 'slipway-build-'))
  try {
    cpSync(folder, context, { recursive: true })
    mkdirSync(join(context, 'certificates'), { recursive: true })
    for (const file of hostCertificates()) {
      const flat = file.replaceAll('/', '-')
      cpSync(join(HOST_CERTIFICATES, file), join(context, 'certificates', flat), { dereference: true })
    }
    const settings = npmSources()
    if (settings.length > 0) writeFileSync(join(context, 'npmrc'), `${settings.join('\n')}\n`, { mode: 0o600 })
    return await work(context)
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}
