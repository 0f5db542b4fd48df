// Runs inside an agent's container: what the model servers `scripted-model.mjs`, `openai-model.mjs` and
// `gemini-model.mjs` share.
//   node NAME-model.mjs PORT STEPS.json
// A step is { say?, tool?, input?, gate?, fails? } or a fault. The first step answers the prompt, each later one the
// result of a tool. A step with a gate waits until that file exists. If the file of the steps is an object, each of its
// lists answers the prompts that contain its name.
// A fault is { status, say?, error?, headers?, body? }, which answers with that status, or { cut: true }, which breaks the
// connection after the first half of the answer. The faults in `fails` come before the answer, one for each request. In
// the words of a fault, {in 15 s} is the time in 15 seconds, in seconds since 1970.
// The server prints the key of a request, which names of its lists the request contains, and the gate at which it waits.
// If PORT is 0, it first prints its address.
import { existsSync, readFileSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'

const [port, file] = process.argv.slice(2)
const script = JSON.parse(readFileSync(file, 'utf8'))
/** How often each step with faults was asked for. */
const asked = new Map()

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

/** The fault of a step for this request; undefined if the step answers. */
const faultOf = (step) => {
  if (step.status !== undefined || step.cut) return step
  if (step.fails === undefined) return undefined
  const before = asked.get(step) ?? 0
  asked.set(step, before + 1)
  return step.fails[before]
}

/** The fault, with the times in its words. A busy machine may take long from the start of a test to this request. */
const timed = (fault) =>
  typeof fault?.say === 'string'
    ? { ...fault, say: fault.say.replaceAll(/\{in (\d+) s\}/g, (_, s) => Math.floor(Date.now() / 1000) + Number(s)) }
    : fault

/** The half of the events that a broken connection lets through, with the beginning of the answer in it. */
const firstHalf = (events) => events.slice(0, Math.floor(events.length / 2))

const streamOf = (events) =>
  events
    .map((event) => {
      const name = event.type === undefined ? '' : `event: ${event.type}\n`
      return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    })
    .join('')

/** CLIs also ask for titles and other texts. Those requests offer no tools. */
const offersTools = ({ tools = [] }) => tools.length > 0

/**
 * Starts the server. `resultMark` is what a request has for each result of a tool. `eventsOf` answers a step, its number
 * and the request with the events of a stream, or with null for an address that the server does not have. `wholeOf` does
 * so without a stream, where the protocol has it.
 */
export const startModel = ({ resultMark, errorOf, eventsOf, wholeOf, isTurn = offersTools }) => {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const answer = (status, body, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const body = JSON.parse(text || '{}')
    const [steps, since] = stepsFor(text)
    const at = since.split(resultMark).length - 1
    const step = (isTurn(body) && steps[at]) || { say: 'Done.' }
    if (isTurn(body)) {
      console.log(`key ${request.headers.authorization ?? request.headers['x-api-key']}`)
      console.log('asked', ...Object.keys(script).filter((name) => text.includes(name)))
    }
    const asks = { step, at, body, path: request.url.split('?')[0] }
    const events = eventsOf(asks)
    if (events === null) return answer(404, errorOf(404, { say: 'not a part of these tests' }))
    if (step.gate !== undefined) {
      console.log(`waits for ${step.gate}`)
      await opened(step.gate)
    }
    const fault = timed(faultOf(step))
    if (fault?.status !== undefined)
      return answer(fault.status, fault.body ?? errorOf(fault.status, fault), fault.headers)
    if (wholeOf && !body.stream) return answer(200, wholeOf(asks))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (fault?.cut) return response.write(streamOf(firstHalf(events)), () => request.socket.destroySoon())
    response.end(streamOf(events))
  })
  server.listen(Number(port), '127.0.0.1', () => {
    if (port === '0') console.log(`http://127.0.0.1:${server.address().port}`)
  })
}
