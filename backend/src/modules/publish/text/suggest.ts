/** Proposes a branch, a message and a pull request for the work of a task or for the commits of a branch, for a user to edit. */
import { AGENT_HOME, PULL_BODY_MAX, PULL_TITLE_MAX } from '@slipway/protocol'
import type { Message } from '../../git/proposal.ts'
import { bodyOf, cut, detailsOf, type SoFar, type Task, TEXT_MAX } from './body.ts'

/** Longest first line of a message. Tools cut longer ones. */
const SUBJECT_MAX = 72
/** Words of the prompt that the name of a branch has, and most characters of them. */
const SLUG_WORDS = 6
const SLUG_MAX = 48
/** Characters of the task's id at the end of the name. They are its last ones: the first ones are the time, which tasks share. */
const ID_DIGITS = 8

/** `published` is the text that the pull request has, or null. */
export const suggestionFor = (task: Task, soFar: SoFar, published: string | null = null) => {
  const subject = subjectOf(task)
  const details = detailsOf(task.result)
  return {
    branch: `slipway/${slugOf(task.prompt)}${task.id.slice(-ID_DIGITS)}`,
    message: details === '' || details === subject ? subject : `${subject}\n\n${details}`,
    title: subject.slice(0, PULL_TITLE_MAX),
    body: bodyOf(task, soFar, published),
  }
}

/** For the commits of a branch, oldest first: the message of the only one, or the subjects of all. */
export const proposalFor = (messages: readonly Message[], branch: string | null): { title: string; body: string } => {
  const [first] = messages
  if (first === undefined) return { title: branch ?? '', body: '' }
  const subjects = messages.map(({ subject }) => `- ${subject}`).join('\n')
  return {
    title: cut(first.subject, PULL_TITLE_MAX),
    body: cut(messages.length === 1 ? first.body : subjects, PULL_BODY_MAX),
  }
}

/** The first line of what the agent said, if it is short enough for one, else that of the prompt. */
const subjectOf = ({ prompt, result }: Task): string => {
  const [said = ''] = linesOf(result ?? '')
  if (said !== '' && said.length <= SUBJECT_MAX) return said.replace(/\.$/, '')
  const [asked = 'Work of an agent'] = linesOf(prompt.replaceAll(`${AGENT_HOME}/`, ''))
  return cut(asked.replace(/\.$/, ''), SUBJECT_MAX)
}

/** Its lines with text, without marks of markdown at their beginning. */
const linesOf = (text: string): string[] =>
  text
    .slice(0, TEXT_MAX)
    .split('\n')
    .map((line) => line.replace(/^[\s#>*-]+/, '').trim())
    .filter((line) => line !== '')

const slugOf = (prompt: string): string => {
  const words =
    prompt
      .slice(0, 500)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const slug = words.slice(0, SLUG_WORDS).join('-').slice(0, SLUG_MAX).replace(/-$/, '')
  return slug === '' ? '' : `${slug}-`
}
