import { expect, it } from 'vitest'
import { FOUND } from '../../../test/support/git/local.ts'
import { EXIT } from './program.ts'
import { type PublishDeps, PublishService } from './service.ts'

const RUN = { id: 'task', userId: 'grace', cwd: '/home/developer/w', endedAt: new Date() }
/** Users and their secrets. */
const SECRETS = new Map([
  ['ada', 'a-secret-of-ada-0815'],
  ['grace', 'a-secret-of-grace-4711'],
])

it('a refused push says nothing of the secrets of the caller or of the user of the task', async () => {
  const said = `remote: ${[...SECRETS.values()].join(' and ')} are not valid`
  const deps: Partial<PublishDeps> = {
    runs: { require: () => Promise.resolve({ run: RUN, found: FOUND }) as never },
    agents: { snapshot: () => ({ runningId: 'container' }) as never },
    execs: {
      run: () => Promise.resolve({ exitCode: EXIT.refused, stdout: '', stderr: said, timedOut: false } as never),
    },
    provisioner: { taskSecrets: (userId) => Promise.resolve([SECRETS.get(userId ?? '') ?? 'of-the-agent-alone']) },
    audit: { recordNow: () => Promise.resolve() },
    newId: () => 'id',
  }
  const publish = new PublishService(deps as PublishDeps)
  const by = { caller: FOUND.caller, left: new AbortController().signal }
  await expect(publish.push(by, RUN.id, { branch: 'topic', commit: '0'.repeat(40) })).rejects.toMatchObject({
    ...{ code: 'REMOTE_REFUSED', message: expect.stringContaining('remote: *** and *** are not valid') },
  })
})
