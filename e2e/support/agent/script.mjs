// Runs inside an agent's container: what the model servers of `openai-model.mjs` and `gemini-model.mjs` share.
//   node NAME-model.mjs PORT STEPS.json
// The steps are those of `scripted-model.mjs`. The server prints which of their names a
// request contains, and then the gate at which it waits.
import { existsSync, readFileSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'

const [port, file] = process.argv.slice(2)
const script = JSON.parse(readFileSync(file, 'utf8'))

/** Resolves once the file exists. */
const opened = (gate) =>
  new Promise((resolve) => {
    const look = () => {
      if (!existsSync(gate)) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dirname(gate), look)
    look()
  })

/** The steps for the last prompt, and the text from that prompt on. */
const stepsFor = (text) => {
  if (Array.isArray(script)) return [script, text]
  const [name, at] = Object.keys(script)
    .map((name) => [name, text.lastIndexOf(name)])
    .sort(([, one], [, other]) => other - one)[0]
  return at === -1 ? [[], text] : [script[name], text.slice(at)]
}

/**
 * Starts the server. `resultMark` is what a request has for each result of a tool. `eventsOf` answers a step, its number
 * and the request with the events of a stream, or with null for an address that the server does not have.
 */
export const startModel = ({ resultMark, errorOf, eventsOf }) =>
  createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const refuse = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const body = JSON.parse(text || '{}')
    const [steps, since] = stepsFor(text)
    const at = since.split(resultMark).length - 1
    // CLIs also ask for titles and other texts. Those requests offer no tools.
    const isTurn = (body.tools?.length ?? 0) > 0
    const step = (isTurn && steps[at]) || { say: 'Done.' }
    if (isTurn) console.log('asked', ...Object.keys(script).filter((name) => text.includes(name)))
    const events = eventsOf({ step, at, body, path: request.url.split('?')[0] })
    if (events === null) return refuse(404, errorOf(404, 'not a part of these tests'))
    if (step.gate !== undefined) {
      console.log(`waits for ${step.gate}`)
      await opened(step.gate)
    }
    if (step.status !== undefined) return refuse(step.status, errorOf(step.status, step.say ?? 'refused by the tests'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      if (event.type !== undefined) response.write(`event: ${event.type}\n`)
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    response.end()
  }).listen(Number(port), '127.0.0.1')
