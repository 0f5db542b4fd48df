/** JSON lines of `codex exec --json` as text: what it said, its commands, the files that it changed. Pure. */
import { codeBlock } from './clean.ts'

/** Longest output of a command that is shown, in UTF-16 code units. */
const OUTPUT_MAX = 600
/** Most files of one change that are named. */
const FILES_MAX = 30

const KNOWN = /^(?:thread|turn|item)\.[a-z_]+$|^error$/
type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The events of such an output; null if any line is something else. */
export const parseCodexLines = (text: string): Json[] | null => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const events: Json[] = []
  for (const line of lines) {
    try {
      const event: unknown = JSON.parse(line)
      if (!isRecord(event) || !KNOWN.test(textOf(event['type']))) return null
      events.push(event)
    } catch {
      return null
    }
  }
  return events.length > 0 ? events : null
}

/** The output as text; null if it is no such output. Items that are not completed are left out. */
export const formatCodexLines = (text: string): string | null => {
  const events = parseCodexLines(text)
  return (
    events &&
    events
      .map(partOf)
      .filter((part) => part !== '')
      .join('\n\n')
  )
}

const partOf = (event: Json): string => {
  if (event['type'] === 'turn.failed' || event['type'] === 'error') {
    const { error } = event
    return `⚠️ ${textOf(isRecord(error) ? error['message'] : event['message'])}`
  }
  const { item } = event
  return event['type'] === 'item.completed' && isRecord(item) ? itemOf(item) : ''
}

const itemOf = (item: Json): string => {
  switch (item['type']) {
    case 'agent_message':
      return textOf(item['text'])
    case 'command_execution':
      return commandOf(item)
    case 'file_change':
      return changesOf(item)
    default:
      return ''
  }
}

const commandOf = (item: Json): string => {
  const output = textOf(item['aggregated_output']).trim()
  const shown = output.length > OUTPUT_MAX ? `${output.slice(0, OUTPUT_MAX)}\n…` : output
  const status = typeof item['exit_code'] === 'number' ? `exit status ${item['exit_code']}` : 'no exit status'
  return `${codeBlock(`$ ${textOf(item['command'])}${shown === '' ? '' : `\n${shown}`}`)}\n${status}`
}

const changesOf = (item: Json): string => {
  const changes = Array.isArray(item['changes']) ? item['changes'].filter(isRecord) : []
  const lines = changes.slice(0, FILES_MAX).map(({ kind, path }) => `${textOf(kind)} ${textOf(path)}`)
  const others = changes.length > FILES_MAX ? [`and ${changes.length - FILES_MAX} more`] : []
  return lines.length === 0 ? '' : codeBlock([...lines, ...others].join('\n'))
}
