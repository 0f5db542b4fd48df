// The images that agents run in. Run by itself it builds what is missing and prints the tag.
import { pathToFileURL } from 'node:url'
import { ensureBaseImage } from './lib/base-image.mjs'
import { hashInputs, withBuildContext } from './lib/build-context.mjs'
import { capture, mustRun } from './lib/commands.mjs'
import { ensureEngine } from './lib/engine.mjs'
import { withLock } from './lib/lock.mjs'
import { inRoot } from './lib/paths.mjs'
import { runMain, say, step } from './lib/steps.mjs'

const FOLDER = inRoot('images', 'developer')
/** The image's name without its tag. */
export const DEVELOPER_IMAGE = 'slipway-developer'
/** Variables that Docker hands to a build without keeping them in the image. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

const exists = async (tag) => (await capture(['docker', 'image', 'inspect', tag])).code === 0

/** Proxies for the build: the environment's, and for apt in particular the one it was configured with. */
const proxyArgs = async () => {
  const args = Object.fromEntries(
    PROXY_VARIABLES.filter((name) => process.env[name]).map((name) => [name, process.env[name]]),
  )
  const apt = await capture(['apt-config', 'shell', 'PROXY', 'Acquire::http::Proxy'])
  const [, configured] = /^PROXY='(.+)'$/m.exec(apt.stdout) ?? []
  if (configured && configured !== 'false') args.http_proxy ??= configured
  return args
}

/** The lines by which either builder says which step it is at. */
const isProgress = (line) => /^(Step \d+\/\d+ : |#\d+ \[)/.test(line)

const build = async (tag, buildArgs, announce) => {
  const base = await ensureBaseImage({ announce })
  const args = { ...(await proxyArgs()), ...buildArgs, BASE_IMAGE: base }
  announce(`building ${tag}, which takes a few minutes`)
  await withBuildContext(FOLDER, (context) =>
    mustRun(
      [
        ...['docker', 'build', '--network', 'host', '--tag', tag],
        ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        context,
      ],
      {
        env: { ...process.env, BUILDKIT_PROGRESS: 'plain' },
        onLine: (line) => isProgress(line) && announce(line.slice(0, 100)),
      },
    ),
  )
}

/**
 * Makes sure that the developer image for this checkout exists. It is built only when something that decides its
 * content has changed, and only by one process at a time.
 *
 * @param {{announce?: (line: string) => void, log?: (line: string) => void}} [options] either is called with each line
 *   of progress. SLIPWAY_CLIS in the environment chooses the CLIs, e.g. `claude codex`; all of them when unset.
 * @returns {Promise<string>} its tag, `slipway-developer:<twelve hexadecimal digits>`
 * @throws {SetUpError} with the end of the output when the build fails
 */
export const ensureDeveloperImage = async ({ log = say, announce = log } = {}) => {
  const buildArgs = {
    ...(process.env.SLIPWAY_CLIS && { CLIS: process.env.SLIPWAY_CLIS }),
    ...(process.env.SLIPWAY_BASE_IMAGE && { BASE_IMAGE: process.env.SLIPWAY_BASE_IMAGE }),
  }
  const tag = `${DEVELOPER_IMAGE}:${hashInputs(FOLDER, buildArgs)}`
  if (await exists(tag)) return tag
  const onWait = (pid) => announce(`process ${pid} is building it already; waiting`)
  await withLock('developer-image', { onWait }, async () => {
    if (!(await exists(tag))) await build(tag, buildArgs, announce)
  })
  return tag
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runMain(async () => {
    await step('Docker Engine', (announce) => ensureEngine({ announce }))
    process.stdout.write(`${await step('developer image', (announce) => ensureDeveloperImage({ announce }))}\n`)
  })
}
