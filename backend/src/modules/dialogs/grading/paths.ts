/** What it means to write to a path. */
import type { Reason } from './reasons.ts'
import type { Known } from './words.ts'

const NOWHERE = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)|\d+|-|&\d+)$/
const DISK = /^\/dev\/(?:sd|hd|vd|nvme|xvd|mmcblk|dm-|mapper|disk|loop|mem|kmem)/
const SOCKET = /^\/dev\/(?:tcp|udp)\//
/** Files that decide what later commands do. */
const SETTINGS =
  /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.claude|\.codex|\.gemini|\.config|\.git\/(?:hooks|config)|\.husky|\.github\/workflows)(?:\/|$)|(?:^|\/)\.(?:bash\w*|zsh\w*|profile|npmrc|netrc|gitconfig|envrc|inputrc|vimrc|mcp\.json)$|(?:^|\/)authorized_keys$/
const OUTSIDE = /^\/(?!tmp(?:\/|$)|var\/tmp(?:\/|$)|home\/)|^~[A-Za-z]/
const UPWARDS = /(?:^|\/)\.\.(?:\/|$)/

/** Null: it is written to nothing. */
export const reasonOfPath = (path: Known): Reason | null => {
  if (path === null) return 'moves'
  if (NOWHERE.test(path)) return null
  if (SOCKET.test(path)) return 'sends'
  if (DISK.test(path)) return 'disk'
  if (SETTINGS.test(path)) return 'settings'
  return OUTSIDE.test(path) || UPWARDS.test(path) ? 'moves' : 'changes'
}
