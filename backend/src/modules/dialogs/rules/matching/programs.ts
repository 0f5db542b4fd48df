/** Which programs run what their arguments name. A rule for the beginning of such a command would hide what runs. */
import { SHELLS } from '../../grading/line.ts'
import { programName } from '../../grading/words.ts'
import { isWrapper } from '../../grading/wrappers.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const RUN_TEXT = set('eval source . trap alias su runuser script ssh awk gawk mawk sed tee make ninja vim vi ed ex dd')
const LANGUAGES =
  /^(?:python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|tclsh|Rscript|java|osascript|expect|groovy|scala)[\d.]*$/i
const RUN_PACKAGES = set('npx bunx pnpx uvx pipx dlx')
/** Their second word says what they do, so a rule has one at least. */
const HAVE_SUBCOMMANDS = set(
  'git gh npm pnpm yarn cargo go pip pip3 uv poetry gem bundle composer docker podman kubectl helm terraform tofu pulumi aws gcloud az systemctl apt apt-get brew',
)
/** Subcommands that run another program. */
const RUN_OTHERS = set(
  'run run-script exec x dlx debug foreach bisect difftool mergetool filter-branch alias plugin extension ssm ssh',
)

/** Their second word is a group of subcommands. */
const GROUPED = set('gh aws gcloud az')

/** Options after the beginning of a command that run nothing else, by that beginning. */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  'git push': set('-u --set-upstream --tags --follow-tags --dry-run -n -v --verbose -q --quiet --progress --atomic'),
  'gh pr': set('--title -t --body -b --base -B --head -H --draft -d --label -l --fill -f --approve --comment'),
  'gh issue': set('--title -t --body -b --label -l --assignee -a --comment'),
}

/** Whether it runs what its arguments, its input or a file of the folder say. */
const runsOthers = (program: string): boolean =>
  program.includes('/') ||
  SHELLS.has(program) ||
  isWrapper(program) ||
  RUN_TEXT.has(program) ||
  LANGUAGES.test(program) ||
  RUN_PACKAGES.has(program)

/** Whether a rule can only name the whole command. */
export const mustBeExact = ([first = '', ...rest]: readonly string[]): boolean => {
  const program = programName(first)
  if (runsOthers(program)) return true
  if (!HAVE_SUBCOMMANDS.has(program)) return false
  return rest[0] === undefined || rest[0].startsWith('-') || rest.some((word) => RUN_OTHERS.has(word))
}

/** Whether another folder makes it another command. */
export const dependsOnFolder = ([first = '']: readonly string[]): boolean => {
  const program = programName(first)
  return !program.startsWith('/') && runsOthers(program)
}

export const isHarmlessOption = ([first = '', second = '']: readonly string[], option: string): boolean => {
  const beginning = `${programName(first)} ${second}`
  return Object.hasOwn(HARMLESS, beginning) && HARMLESS[beginning]?.has(option) === true
}

/** How many words at the beginning say what the program does, and where to. 0: only the whole command does. */
export const beginningLength = ([first = '', second = '', ...rest]: readonly string[]): number => {
  const program = programName(first)
  if (!HAVE_SUBCOMMANDS.has(program)) return 0
  // Another remote is another place.
  if (program === 'git' && second === 'push') {
    const remote = rest.findIndex((word) => !word.startsWith('-'))
    return remote === -1 ? 0 : remote + 3
  }
  return GROUPED.has(program) || second === 'compose' ? 3 : 2
}
