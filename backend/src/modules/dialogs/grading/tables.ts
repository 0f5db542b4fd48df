/** What known programs do. A program that is in none of these tables is not known. */
import { type Reason, tierOf } from './reasons.ts'
import { hasOption, type Known, operands } from './words.ts'

/** Grades a program by its arguments. */
export type Grader = (args: readonly Known[]) => Reason

const all = (names: string, reason: Reason): [string, Reason][] => names.split(' ').map((name) => [name, reason])

/** Programs that do the same whatever their arguments are. */
export const FIXED: ReadonlyMap<string, Reason> = new Map([
  ...all(
    'ls cat head tail grep egrep fgrep rg wc cut tr diff cmp comm file stat du df pwd echo printf whoami id',
    'reads',
  ),
  ...all(
    'uname which type ps true false : test [ basename dirname realpath readlink jq nl od hexdump strings',
    'reads',
  ),
  ...all('sleep seq expr factor md5sum sha1sum sha256sum sha512sum cksum column fold fmt paste join tac rev', 'reads'),
  ...all('help groups tty uptime free nproc lscpu locale getconf cal return break continue shift wait exit', 'reads'),
  ...all(
    'cd pushd popd dirs jobs ag ack cloc tokei lsof pgrep top htop vmstat iostat ss netstat dig nslookup host',
    'reads',
  ),
  ...all('ping traceroute', 'fetches'),
  ...all(
    'mkdir touch cp ln patch gzip gunzip bzip2 xz zstd zip unzip mktemp split csplit fc dos2unix unix2dos',
    'changes',
  ),
  ...all(
    'set shopt umask ulimit getopts local export declare typeset readonly read mapfile readarray let unset hash',
    'variable',
  ),
  ...all(
    'make ninja cmake meson gcc g++ clang cc ld javac tsc eslint prettier vitest jest mocha pytest tox ruff mypy',
    'builds',
  ),
  ...all(
    'black isort flake8 gofmt rustfmt rustc biome oxlint vue-tsc playwright ctest shellcheck webpack vite rollup esbuild',
    'builds',
  ),
  ...all('python python2 python3 node nodejs deno ruby perl php lua Rscript osascript java tclsh expect', 'code'),
  ...all('source .', 'script'),
  ...all('chown chgrp setfacl chattr setcap', 'permissions'),
  ...all('su runuser', 'otherUser'),
  ...all('kill pkill killall xkill', 'ends'),
  ...all('ssh scp sftp rsync nc ncat netcat telnet ftp socat', 'sends'),
  ...all('crontab at batch alias unalias', 'settings'),
  ...all(
    'apt apt-get dpkg yum dnf apk pacman snap brew systemctl service mount umount useradd usermod passwd',
    'system',
  ),
  ...all('iptables nft ufw sysctl modprobe insmod reboot shutdown halt poweroff init', 'system'),
  ...all(
    'docker docker-compose podman kubectl helm terraform tofu pulumi ansible aws gcloud az heroku fly vercel netlify',
    'services',
  ),
  ...all('psql mysql mariadb sqlite3 mongosh mongo redis-cli', 'services'),
  ...all('fdisk sfdisk gdisk parted wipefs blkdiscard mkswap hdparm cryptsetup lvremove vgremove pvremove', 'disk'),
  ...all('shred srm wipe', 'deletesAll'),
])

const sub = (args: readonly Known[]): Known => operands(args)[0] ?? null
const isOneOf = (names: string): ((word: Known) => boolean) => {
  const set = new Set(names.split(' '))
  return (word) => word !== null && set.has(word)
}

const SQL = /\b(?:drop\s+(?:table|database|schema|index|view|role|user)|truncate\b|delete\s+from\s+\S+\s*(?:;|$))/i
const SERVICE_DELETES =
  /^(?:delete|destroy|terminate|terminate-instances|rb|prune|purge|uninstall|flushall|flushdb|rm|remove|down)$|^delete-/i

const CODE_DELETES =
  /rmtree|rm\s+-\w*r|unlinkSync|rmSync|fs\.rm\b|shutil|remove_tree|File::Path|FileUtils\.rm|os\.system|execSync|\bexec\(|subprocess|child_process/

const GIT_READS = isOneOf(
  'status log diff show blame describe rev-parse ls-files ls-tree ls-remote shortlog grep cat-file reflog help version rev-list name-rev cherry count-objects var check-ignore merge-base',
)
const GIT_CHANGES = isOneOf(
  'add commit stash fetch pull clone init merge mv apply am format-patch worktree submodule bundle archive notes bisect',
)
const GIT_LOSES = isOneOf('clean filter-branch filter-repo')

const git: Grader = (args) => {
  // Options before the subcommand may set what runs, such as an editor or a pager.
  const at = args.findIndex((arg, index) => arg === null || (!arg.startsWith('-') && args[index - 1] !== '-C'))
  const before = args.slice(0, at === -1 ? args.length : at)
  if (before.some((arg) => arg === '-c' || arg?.startsWith('--config-env') || arg?.startsWith('--exec-path=')))
    return 'settings'
  const name = at === -1 ? null : (args[at] ?? null)
  const rest = args.slice(at + 1)
  const forces = hasOption(rest, 'f', '--force', '--force-with-lease', '--mirror', '--delete')
  if (name === 'grep' && hasOption(rest, 'O')) return 'hidden'
  if (at === -1 || GIT_READS(name)) return name === 'reflog' && isOneOf('expire delete')(sub(rest)) ? 'loses' : 'reads'
  if (name === null) return 'computed'
  if (name === 'clean') return hasOption(rest, 'n', '--dry-run') ? 'reads' : 'loses'
  if (GIT_LOSES(name)) return 'loses'
  // They run a command of a shell for each module or commit.
  if ((name === 'submodule' && sub(rest) === 'foreach') || (name === 'bisect' && sub(rest) === 'run')) return 'hidden'
  if (name === 'rebase' && hasOption(rest, 'x')) return 'hidden'
  if (name === 'stash') return isOneOf('drop clear')(sub(rest)) ? 'loses' : 'changes'
  if (name === 'push')
    return forces || rest.some((arg) => arg?.startsWith('+') || arg?.startsWith(':')) || hasOption(rest, 'd')
      ? 'loses'
      : 'publishes'
  if (name === 'reset') return hasOption(rest, '', '--hard', '--merge') ? 'loses' : 'history'
  if (name === 'checkout' || name === 'switch')
    return forces || hasOption(rest, '', '--discard-changes') || rest.some((arg) => arg === '.' || arg === '--')
      ? 'loses'
      : 'changes'
  if (name === 'restore')
    return hasOption(rest, 'S', '--staged') && !hasOption(rest, 'W', '--worktree') ? 'changes' : 'loses'
  if (name === 'rm') return hasOption(rest, '', '--cached') ? 'changes' : 'deletes'
  if (name === 'branch' || name === 'tag')
    return hasOption(rest, 'D') || (forces && hasOption(rest, 'd', '--delete'))
      ? 'loses'
      : hasOption(rest, 'dmf', '--delete', '--force', '--move')
        ? 'history'
        : 'changes'
  if (name === 'gc') return hasOption(rest, '', '--prune') ? 'loses' : 'changes'
  if (name === 'config' || name === 'remote')
    return operands(rest).length === 0 || hasOption(rest, 'lv', '--list', '--get') ? 'reads' : 'settings'
  if (name === 'update-ref' || name === 'rebase' || name === 'cherry-pick' || name === 'revert') return 'history'
  return GIT_CHANGES(name) ? 'changes' : 'unknown'
}

const GH_READS = isOneOf('view list status diff checks search browse')
const gh: Grader = (args) => {
  const [group, action] = operands(args)
  if (group === 'api')
    return hasOption(args, 'XfF', '--method', '--field', '--raw-field', '--input') ? 'publishes' : 'fetches'
  if (group === 'auth' || group === 'secret' || group === 'config') return 'settings'
  if (action === 'delete' || action === 'archive') return 'data'
  return GH_READS(action ?? null) || group === 'search' || group === 'status' ? 'fetches' : 'publishes'
}

const NODE_BUILDS = isOneOf(
  'test t run run-script ci install i add build start lint exec outdated ls list audit why view info pack rebuild dedupe x',
)
/** Package managers of Node.js, Python, Rust, Go and others. */
const packages: Grader = (args) => {
  const name = sub(args)
  if (isOneOf('publish unpublish yank deploy release push')(name)) return 'release'
  if (name === 'exec' || name === 'x' || name === 'dlx') return 'unknown'
  if (name === 'config' || name === 'set' || name === 'login' || name === 'adduser') return 'settings'
  if (name === 'uninstall' || name === 'remove' || name === 'rm' || name === 'un') return 'changes'
  if (args.length === 0 || NODE_BUILDS(name)) return 'builds'
  return isOneOf(
    'package compile verify clean assemble check clippy fmt bench doc fetch tree update vet mod get generate tidy vendor sync lock freeze show download',
  )(name)
    ? 'builds'
    : 'unknown'
}

const rm: Grader = (args) => {
  if (hasOption(args, 'rR', '--recursive')) return 'deletesAll'
  return args.includes(null) ? 'deletesComputed' : 'deletes'
}

const services: Grader = (args) => {
  if (args.some((arg) => arg !== null && (SQL.test(arg) || SERVICE_DELETES.test(arg)))) return 'data'
  return 'services'
}
const code: Grader = (args) => (args.some((arg) => arg !== null && CODE_DELETES.test(arg)) ? 'hidden' : 'code')

const unlessComputed =
  (reason: Reason): Grader =>
  (args) =>
    args.includes(null) ? 'unknown' : reason

const curl: Grader = (args) => {
  // A computed word may be any option.
  if (args.includes(null)) return 'sends'
  const sends = hasOption(
    args,
    'XdFTuK',
    '--request',
    '--data',
    '--data-binary',
    '--data-raw',
    '--form',
    '--upload-file',
    '--json',
  )
  return sends || hasOption(args, '', '--post-data', '--post-file', '--method', '--data-urlencode')
    ? 'sends'
    : 'fetches'
}

/** Programs whose arguments decide. */
export const GRADERS: Readonly<Record<string, Grader>> = {
  rm,
  unlink: rm,
  rmdir: () => 'changes',
  git,
  gh,
  curl,
  wget: curl,
  ...Object.fromEntries(
    'npm pnpm yarn bun cargo go pip pip3 uv poetry pipenv gem bundle composer mvn gradle dotnet npx bunx'
      .split(' ')
      .map((name) => [name, packages]),
  ),
  npx: () => 'unknown',
  bunx: () => 'unknown',
  ...Object.fromEntries(
    'docker docker-compose podman kubectl helm terraform tofu pulumi aws gcloud az heroku psql mysql mariadb sqlite3 mongosh mongo redis-cli'
      .split(' ')
      .map((name) => [name, services]),
  ),
  ...Object.fromEntries(
    'python python2 python3 node nodejs deno ruby perl php lua'.split(' ').map((name) => [name, code]),
  ),
  find: unlessComputed('reads'),
  fd: unlessComputed('reads'),
  dd: (args) =>
    args.some((arg) => arg === null || arg.startsWith('of=/dev/'))
      ? 'disk'
      : args.some((arg) => arg?.startsWith('of='))
        ? 'disk'
        : 'reads',
  mv: () => 'changes',
  chmod: (args) =>
    hasOption(args, 'R', '--recursive') ||
    args.some((arg) => arg === null || /^0?[0-7]?777$|^[augo]*\+[rwxst]*[ws]|^a=|^[2467][0-7]{3}$/.test(arg))
      ? 'permissions'
      : 'changes',
  sed: (args) => {
    // `e` runs what it reads, `w` writes a file. Both may stand behind an address or a replacement.
    if (args.some((arg) => arg !== null && /(?:^|[;{}\n\d$/|,!\s])[ew](?:\s|$)|[/|#,][gIip\d]*e[gIip\d]*$/.test(arg)))
      return 'hidden'
    if (args.includes(null)) return 'unknown'
    return hasOption(args, 'i', '--in-place') ? 'changes' : 'reads'
  },
  awk: (args) =>
    args.includes(null)
      ? 'unknown'
      : args.some((arg) => arg !== null && /system\s*\(|\|\s*getline|\|\s*"|>\s*"/.test(arg))
        ? 'hidden'
        : 'reads',
  sort: (args) =>
    hasOption(args, 'o', '--output')
      ? 'changes'
      : args.some((arg) => arg?.startsWith('--compress-program'))
        ? 'hidden'
        : 'reads',
  tar: (args) =>
    args.some((arg) => arg !== null && /^--(?:to-command|checkpoint-action|use-compress-program)/.test(arg)) ||
    hasOption(args, 'I')
      ? 'hidden'
      : 'changes',
  date: (args) => (hasOption(args, 's', '--set') ? 'system' : 'reads'),
  yq: (args) => (hasOption(args, 'i', '--inplace') ? 'changes' : 'reads'),
  truncate: () => 'deletes',
  // Another program for a name.
  hash: (args) => (hasOption(args, 'p') ? 'loader' : 'variable'),
  crontab: (args) => (hasOption(args, 'r') ? 'data' : hasOption(args, 'l') ? 'reads' : 'settings'),
  history: (args) => (hasOption(args, 'cdw') ? 'changes' : 'reads'),
  tee: () => 'changes',
  tree: (args) => (hasOption(args, 'o') ? 'changes' : 'reads'),
  uniq: (args) => (operands(args).length > 1 ? 'changes' : 'reads'),
  xxd: (args) => (hasOption(args, 'r') || operands(args).length > 1 ? 'changes' : 'reads'),
}

/** Options with which programs that read run another program. */
const RUNS =
  /^--(?:pre|pager|hostname-bin|preview|bind|command|use-askpass|execute|upload-pack|receive-pack|exec|open-files-in-pager|ext-diff|extcmd|rsh)(?:=|$)|^ext::/

/** Whether a word is an option that names a program to run. */
export const runsByOption = (word: string): boolean => RUNS.test(word)

/** By its name without a folder. */
export const gradeOfProgram = (name: string, args: readonly Known[]): Reason => {
  const reason = reasonOf(name, args)
  return tierOf(reason) < 2 && args.some((arg) => arg !== null && runsByOption(arg)) ? 'hidden' : reason
}

const reasonOf = (name: string, args: readonly Known[]): Reason => {
  if (/^mkfs(?:\.|$)|^newfs/.test(name)) return 'disk'
  if (Object.hasOwn(GRADERS, name)) return GRADERS[name]?.(args) ?? 'unknown'
  return FIXED.get(name) ?? 'unknown'
}
