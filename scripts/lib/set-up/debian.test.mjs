import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { aptInstall, osRelease } from './debian.mjs'

/** These tests run only where the set-up may install packages. */
const mayInstall = osRelease().ID === 'debian' && process.getuid?.() === 0 && process.env.SLIPWAY_NO_INSTALL !== '1'
/** A font that the set-up installs anyway, so the tests add nothing to the machine. */
const PACKAGES = ['fonts-liberation']
/** Locks dpkg as apt-get does, prints a line, and keeps the lock until its input ends. Every Debian has Perl. */
const LOCKER = `
use Fcntl;
$| = 1;
open(my $file, '+>', '/var/lib/dpkg/lock-frontend') or die;
my $lock = pack('s s x4 q q i x4', F_WRLCK, 0, 0, 0, 0);
fcntl($file, F_SETLKW, $lock) or die;
print 'locked';
<STDIN>;`

/** The set-up waits for ten minutes for another program that installs. */
const INSTALLED_WITHIN_MS = 600_000

const options = (announce) => ({ purpose: 'a font is needed', otherwise: 'Install it.', announce })

it.runIf(mayInstall)(
  'installs for steps that run side by side one after the other',
  async () => {
    const announce = vi.fn()
    await Promise.all(Array.from({ length: 3 }, () => aptInstall(PACKAGES, options(announce))))
    const lines = announce.mock.calls.flat()
    expect(lines.filter((line) => line.startsWith('installing'))).toHaveLength(3)
    // More of them, if another program installs at the same time.
    expect(lines.filter((line) => line.startsWith('waiting')).length).toBeGreaterThanOrEqual(2)
  },
  INSTALLED_WITHIN_MS,
)

it.runIf(mayInstall)(
  'waits for an installation by another program, and says so',
  async () => {
    const locker = spawn('perl', ['-e', LOCKER], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(locker.stdout, 'data')
    const { promise: isWaiting, resolve: waits } = Promise.withResolvers()
    const installed = aptInstall(
      PACKAGES,
      options((line) => line.startsWith('waiting') && waits()),
    )
    await isWaiting
    locker.stdin.end()
    await installed
  },
  INSTALLED_WITHIN_MS,
)
