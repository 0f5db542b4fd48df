// Builds an image once for each content. One process builds at a time.
import { ensureBaseImage } from './base-image.mjs'
import { hashInputs, withBuildContext } from './build-context.mjs'
import { capture, mustRun } from '../commands.mjs'
import { withLock } from '../lock.mjs'

/** Variables that Docker passes to a build and does not keep in the image. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

/** Whether the engine has an image. */
export const hasImage = async (tag) => (await capture(['docker', 'image', 'inspect', tag])).code === 0

/** Proxies for the build. They come from the environment, and for apt from its own configuration. */
const proxyArgs = async () => {
  const args = Object.fromEntries(
    PROXY_VARIABLES.filter((name) => process.env[name]).map((name) => [name, process.env[name]]),
  )
  const apt = await capture(['apt-config', 'shell', 'PROXY', 'Acquire::http::Proxy'])
  const [, configured] = /^PROXY='(.+)'$/m.exec(apt.stdout) ?? []
  if (configured && configured !== 'false') args.http_proxy ??= configured
  return args
}

/** Whether a line of either builder names its current step. */
const isProgress = (line) => /^(Step \d+\/\d+ : |#\d+ \[)/.test(line)

const build = async (tag, { folder, buildArgs, dockerfile, announce }) => {
  const base = await ensureBaseImage({ announce })
  const args = { ...(await proxyArgs()), ...buildArgs, BASE_IMAGE: base }
  announce(`building ${tag}, which takes a few minutes`)
  await withBuildContext(folder, (context) =>
    mustRun(
      [
        ...['docker', 'build', '--network', 'host', '--tag', tag, '--file', `${context}/${dockerfile}`],
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
 * Makes sure that an image exists which was built from exactly these files and arguments.
 *
 * @param {object} image
 * @param {string} image.name without a tag
 * @param {string} image.folder has all files of the build
 * @param {Record<string, string>} [image.buildArgs]
 * @param {string} [image.dockerfile] below the folder
 * @param {(line: string) => void} image.announce is called with each line of progress
 * @returns {Promise<string>} `<name>:<twelve hexadecimal digits>`
 * @throws {SetUpError} with the end of the output when the build fails
 */
export const ensureImage = async ({ name, folder, buildArgs = {}, dockerfile = 'Dockerfile', announce }) => {
  const tag = `${name}:${hashInputs(folder, buildArgs)}`
  if (await hasImage(tag)) return tag
  const onWait = (pid) => announce(`process ${pid} is building it already; waiting`)
  await withLock(`image-${name}`, { onWait }, async () => {
    if (!(await hasImage(tag))) await build(tag, { folder, buildArgs, dockerfile, announce })
  })
  return tag
}
