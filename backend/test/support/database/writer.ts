/** A process that writes users until it is killed. It prints the name of each user after the commit. */
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/database/open.ts'

const { prisma } = await openDatabase({ url: null, dataDir: process.argv[2] ?? '', log: silentLog })
for (let i = 0; ; i++) {
  const { email } = await prisma.user.create({ data: { email: `${i}@example.org` } })
  process.stdout.write(`${email}\n`)
}
