// Runs inside an agent's container: a stub of GitHub's API for pull requests, as a proxy, by which `gh` speaks plain HTTP to
// `github.localhost`.
//   node github-host.mjs LOG PORT
// It appends one line of JSON to LOG for each request: its method, its path, its token and its body. `feedback.json` in its folder
// has what GraphQL answers of a pull request.
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [log, port] = process.argv.slice(2)
const pulls = []

const answer = ({ method, url, body }) => {
  const { host, pathname, searchParams } = new URL(url, 'http://none')
  if (host !== 'api.github.localhost') return [502, { message: `no such host: ${host}` }]
  if (pathname === '/graphql') {
    const { number } = JSON.parse(body).variables
    const feedback = JSON.parse(readFileSync('feedback.json', 'utf8'))
    return [
      200,
      { data: { repository: { pullRequest: { url: pulls[number - 1].html_url, state: 'OPEN', ...feedback } } } },
    ]
  }
  const [, number] = /^\/repos\/harbour\/api\/pulls(?:\/(\d+)(?:\/merge)?)?$/.exec(pathname) ?? []
  if (method === 'GET') {
    const state = searchParams.get('state')
    const found = pulls.filter((pull) => `harbour:${pull.head}` === searchParams.get('head'))
    return [200, found.filter((pull) => state === 'all' || pull.state === state).toReversed()]
  }
  const given = JSON.parse(body)
  // `PUT /repos/harbour/api/pulls/1/merge`: it is merged.
  if (method === 'PUT')
    return [200, Object.assign(pulls[number - 1], { state: 'closed', merged_at: '2026-11-27T00:00:00Z' })]
  if (method === 'PATCH') return [200, Object.assign(pulls[number - 1], given)]
  if (given.base === 'none')
    return [422, { message: 'Validation Failed', errors: [{ message: 'base does not exist' }] }]
  const pull = {
    ...given,
    ...{ state: 'open', merged_at: null },
    number: pulls.length + 1,
    html_url: `https://github.localhost/harbour/api/pull/${pulls.length + 1}`,
  }
  pulls.push(pull)
  return [201, pull]
}

createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    appendFileSync(
      log,
      `${JSON.stringify({ method, path: new URL(url, 'http://none').pathname, token: headers.authorization, body })}\n`,
    )
    const [status, said] = answer({ method, url, body })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
}).listen(Number(port), '127.0.0.1')
