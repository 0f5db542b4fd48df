/** Finds the simple commands in a line of a shell, and what each of them does. What is not understood counts as more. */
import {
  type Assignment,
  type Command,
  forEachChild,
  type Function as ShellFunction,
  parse,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
} from 'unbash'
import { callsItself } from './bombs.ts'
import { reasonsOfMentioned, reasonsOfWritten } from './path-arguments.ts'
import { reasonOfPath } from './paths.ts'
import { type Reason, type Tier, tierOf } from './reasons.ts'
import { gradeOfProgram } from './tables.ts'
import { isLoader } from './variables.ts'
import { argumentsOf, type Known, knownText, operands, programName } from './words.ts'
import { innerOf } from './wrappers.ts'

/** Longest command that is graded, in UTF-16 code units. */
export const GRADED_MAX = 65_536
/** How deep commands may run commands. */
const DEPTH_MAX = 10
/** Most commands within one. */
const COMMANDS_MAX = 5_000

export const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'rbash'])
/** They evaluate subscripts and names of their arguments, with the commands in them. */
const EVALUATE = new Set(
  'test [ printf read declare typeset local export readonly unset let wait mapfile readarray bind complete compgen'.split(
    ' ',
  ),
)
/** They go to another folder. */
const MOVES = new Set(['cd', 'pushd'])
const HIDDEN_COMMAND = /\$\(|`/
// Spaces that are none, and characters that no font shows.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u00a0\u3000]|(?![\n\t])\p{Cc}/u
const NOT_ASCII = /[^\u0020-\u007e]/

/** One of the simple commands in a line. */
export interface GradedCommand {
  /** Its name and its arguments. */
  readonly words: readonly Known[]
  /** What it does, with everything that it runs itself. */
  readonly reasons: ReadonlySet<Reason>
  /** Whether it is written in the line itself. Otherwise another command of the line runs it. */
  readonly isDirect: boolean
}

/** What was found in a line. */
export interface GradedLine {
  readonly commands: readonly GradedCommand[]
  /** What the line does besides its commands, such as writing to a file. */
  readonly others: ReadonlySet<Reason>
  /** Whether it goes to another folder. */
  readonly goesElsewhere: boolean
}

export const gradeLine = (command: string): GradedLine => {
  const grading = new Grading()
  if (command.length > GRADED_MAX) grading.found.add('long')
  else {
    if (INVISIBLE.test(command)) grading.found.add('lookalike')
    grading.text(command, 0)
    grading.end()
  }
  return { commands: grading.commands, others: grading.found, goesElsewhere: grading.goesElsewhere }
}

/** Where a program reads from. */
interface Input {
  readonly inputs: readonly Redirection[]
  /** Whether it is the output of another program. */
  readonly isPiped: boolean
}

class Grading {
  /** Of the command that is graded now; of the line itself between its commands. */
  found = new Set<Reason>()
  readonly commands: GradedCommand[] = []
  goesElsewhere = false
  readonly #functions = new Set<string>()
  /** Whether it goes to a folder outside. Relative paths are outside from then on. */
  #hasMoved = false
  #commands = 0

  /** Grades a text that a shell runs. */
  text(text: string, depth: number): void {
    if (depth > DEPTH_MAX) return void this.found.add('hidden')
    this.#visit(parse(text), depth)
  }

  /** Everything is graded. */
  end(): void {
    const changes = this.commands.some(({ reasons }) => reasons.has('changes')) || this.found.has('changes')
    if (this.#hasMoved && changes) this.found.add('moves')
  }

  #visit(node: SyntaxNode, depth: number): void {
    switch (node.type) {
      case 'Script':
        if (node.errors && node.errors.length > 0) this.found.add('unreadable')
        break
      case 'Command':
        this.#command(node, depth, false)
        break
      case 'Pipeline':
        this.#pipeline(node, depth)
        return
      case 'Function':
        this.#function(node)
        break
      case 'Assignment':
        this.#assignment(node)
        break
      case 'Redirect':
        this.#redirect(node)
        break
      case 'ParameterExpansion':
        // `${x@P}` runs the commands in the value of x.
        if (node.operation?.type === 'Transform' && node.operation.operand.value.includes('P')) this.found.add('hidden')
        break
      case 'TestUnary':
        if (HIDDEN_COMMAND.test(knownText(node.operand) ?? '')) this.found.add('hidden')
        break
      default:
        break
    }
    this.#children(node, depth)
  }

  #children(node: SyntaxNode, depth: number): void {
    forEachChild(node, (child) => this.#visit(child, depth))
  }

  /** All but the first command read what another one prints. */
  #pipeline(node: Pipeline, depth: number): void {
    node.commands.forEach((command, index) => {
      if (command.type !== 'Command') return this.#visit(command, depth)
      this.#command(command, depth, index > 0)
      this.#children(command, depth)
    })
  }

  #function({ name, body }: ShellFunction): void {
    const known = knownText(name)
    if (known === null) return
    this.#functions.add(known)
    if (callsItself(known, body, false)) this.found.add('bomb')
  }

  #assignment({ name }: Assignment): void {
    this.found.add(isLoader(name) ? 'loader' : 'variable')
  }

  #redirect(node: Extract<Redirection, { type: 'Redirect' }>): void {
    if (node.operator === '<' || node.operator === '<&') {
      // Reading from there sends a request.
      if (/^\/dev\/(?:tcp|udp)\//.test(node.target?.value ?? '')) this.found.add('sends')
      return
    }
    const reason = node.target ? reasonOfPath(knownText(node.target)) : 'unreadable'
    if (reason !== null) this.found.add(reason)
  }

  #command(command: Command, depth: number, isPiped: boolean): void {
    this.#commands += 1
    if (this.#commands > COMMANDS_MAX) return void this.found.add('long')
    if (command.name === undefined) return
    this.#program(knownText(command.name), argumentsOf(command), depth, { inputs: command.redirects, isPiped })
  }

  #program(name: Known, args: readonly Known[], depth: number, from: Input): void {
    const [outer, reasons] = [this.found, new Set<Reason>()]
    this.found = reasons
    this.#gradeProgram(name, args, depth, from)
    this.found = outer
    if (depth > 0) for (const reason of reasons) outer.add(reason)
    this.commands.push({ words: [name, ...args], reasons, isDirect: depth === 0 })
  }

  #gradeProgram(name: Known, args: readonly Known[], depth: number, from: Input): void {
    if (depth > DEPTH_MAX) return void this.found.add('hidden')
    if (name === null) return void this.found.add('computed')
    if (NOT_ASCII.test(name)) this.found.add('lookalike')
    const program = programName(name)
    if (SHELLS.has(program)) return this.#shell(args, depth, from)
    if (EVALUATE.has(program) && args.some((arg) => arg !== null && HIDDEN_COMMAND.test(arg))) this.found.add('hidden')
    if (this.#runsText(program, args, depth)) return
    if ((program === 'command' || program === 'type') && (args[0] === '-v' || args[0] === '-V'))
      return void this.found.add('reads')
    const inner = innerOf(program, args)
    if (inner) {
      if (inner.reason) this.found.add(inner.reason)
      const [first, ...rest] = inner.argv
      if (first !== undefined) this.#program(first, rest, depth + 1, from)
      else if (!inner.reason) this.found.add('reads')
      return
    }
    if (program.includes('/')) return void this.found.add('script')
    this.#add(reasonsOfWritten(program, args))
    const reason = gradeOfProgram(program, args)
    // Where a function has the name of a known program, either of them may run.
    if (reason === 'unknown' && this.#functions.has(program)) return
    this.found.add(reason)
    if (reason === 'changes' || reason === 'fetches') this.#add(reasonsOfMentioned(program, args))
    if (MOVES.has(program)) {
      this.goesElsewhere = true
      this.#hasMoved ||= tierOfPlace(args) > 1
    }
  }

  #add(reasons: readonly Reason[]): void {
    for (const reason of reasons) this.found.add(reason)
  }

  #shell(args: readonly Known[], depth: number, { inputs, isPiped }: Input): void {
    const at = args.findIndex((arg) => arg !== null && /^-[A-Za-z]*c[A-Za-z]*$/.test(arg))
    if (at !== -1) {
      // A script before it is what runs, and the rest are its arguments.
      if (operands(args.slice(0, at)).length > 0) this.found.add('script')
      return this.#run(args[at + 1] ?? null, depth)
    }
    const [script] = operands(args)
    if (script !== undefined) return void this.found.add(script === null ? 'piped' : 'script')
    const given = inputs.flatMap((input) => {
      if (input.type === 'HereDoc')
        return [input.body.parts?.some(({ type }) => type !== 'Literal') ? null : input.body.text]
      return input.type === 'HereString' && input.target ? [knownText(input.target)] : []
    })
    for (const text of given) this.#run(text, depth)
    if (given.length > 0) return
    const isFile = inputs.some((input) => input.type === 'Redirect' && input.target && knownText(input.target) !== null)
    this.found.add(isFile && !isPiped ? 'script' : 'piped')
  }

  /** A text that is run as a command. */
  #run(text: Known, depth: number): void {
    if (text === null) this.found.add('computed')
    else this.text(text, depth + 1)
  }

  /** Programs whose arguments are commands of a shell. Answers whether everything about them is graded. */
  #runsText(program: string, args: readonly Known[], depth: number): boolean {
    switch (program) {
      case 'eval':
      case 'watch': {
        const words = program === 'eval' ? args : operands(args)
        this.#run(words.includes(null) ? null : words.join(' '), depth)
        return true
      }
      case 'trap':
        if (args.length > 1) this.#run(args[0] === '--' ? (args[1] ?? null) : (args[0] ?? null), depth)
        this.found.add('variable')
        return true
      case 'alias':
        for (const arg of args) this.#run(arg === null ? null : arg.slice(arg.indexOf('=') + 1), depth)
        return false
      case 'su':
      case 'runuser':
      case 'script': {
        const at = args.findIndex((arg) => arg === '-c' || arg === '--command')
        if (at !== -1) this.#run(args[at + 1] ?? null, depth)
        return false
      }
      case 'ssh': {
        const [, ...words] = operands(args)
        if (words.length > 0) this.#run(words.includes(null) ? null : words.join(' '), depth)
        return false
      }
      case 'env':
        if (!args.some((arg) => arg !== null && /^(?:-[A-Za-z]*S|--split-string)/.test(arg))) return false
        this.found.add('hidden')
        return true
      default:
        return false
    }
  }
}

/** The tier of writing to the folder to which `cd` goes. Without one, that is the home. */
const tierOfPlace = (args: readonly Known[]): Tier => {
  const [place = ''] = operands(args)
  return tierOf(reasonOfPath(place) ?? 'moves')
}
