/** Programs in an agent with the credentials of the user who waits for them. */
import type { Provisioner } from '../../credentials/provision/provision.ts'
import type { ExecService } from '../../exec/service.ts'
import type { UserPrograms } from '../../git/hooks/asked.ts'
import { Masking } from '../../runs/output/masking.ts'

interface Deps {
  readonly execs: Pick<ExecService, 'run'>
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
}

export const createUserPrograms = ({ execs, provisioner }: Deps): UserPrograms => ({
  run: ({ found, locate, left }, program) =>
    execs.run(program, { caller: () => Promise.resolve(found.caller), locate, left }),
  masked: async ({ found: { caller, row } }, text) => {
    const masking = new Masking(await provisioner.taskSecrets(caller.userId, row))
    return masking.mask(text.trim())
  },
})
