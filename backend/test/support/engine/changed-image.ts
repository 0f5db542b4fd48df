/** Images of a test's own. */
import { IMAGE, type TestEngine } from './engine.ts'

/** Builds an image from the project's, changed by a script that runs as root. Returns its name. The caller removes it. */
export const imageLikeOurs = async (
  { docker, namespace }: Pick<TestEngine, 'docker' | 'namespace'>,
  name: string,
  script: string,
): Promise<string> => {
  const container = await docker.createContainer({ Image: IMAGE, User: 'root', Cmd: ['sh', '-c', script] })
  try {
    await container.start()
    await container.wait()
    await container.commit({
      repo: `${namespace}-${name}`,
      tag: 'test',
      changes: ['CMD ["sleep","infinity"]', 'USER 1000'].join('\n'),
    })
  } finally {
    await container.remove({ force: true })
  }
  return `${namespace}-${name}:test`
}
