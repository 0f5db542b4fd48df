/**
 * A git host over HTTP, inside an agent: serves the bare repositories below a folder. Arguments: the folder, the port, and
 * a password. The next port is that of HTTPS. What is below `/private` needs the password. The objects of what is below `/held` come only once the folder
 * has a file `go`. Each request is a line in `requests`: its path, and the user that it names.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { join } from 'node:path'

const [root, port, password = ''] = process.argv.slice(2)

const released = () =>
  new Promise((resolve) => {
    const watcher = watch(root, () => look())
    const look = () => {
      if (!existsSync(join(root, 'go'))) return
      watcher.close()
      resolve()
    }
    look()
  })

const answer = (request, response, path, query) => {
  const git = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      ...{ GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: path, QUERY_STRING: query },
      ...{ REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers['content-type'] ?? '' },
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    },
  })
  request.pipe(git.stdin)
  git.stdin.on('error', () => undefined)
  let head = Buffer.alloc(0)
  const onHead = (chunk) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    git.stdout.off('data', onHead)
    const headers = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '))
    const status = headers.find(([name]) => name === 'Status')
    response.writeHead(status ? Number.parseInt(status[1], 10) : 200, Object.fromEntries(headers))
    response.write(head.subarray(end + 4))
    git.stdout.pipe(response)
  }
  git.stdout.on('data', onHead)
}

const host = async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://host')
  const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ')
  const [user, word] = scheme === 'Basic' ? Buffer.from(given, 'base64').toString().split(':') : ['', '']
  appendFileSync(join(root, 'requests'), `${pathname} ${user}\n`)
  if (pathname === '/') return response.end('here')
  if (pathname.startsWith('/private/') && word !== password)
    return response.writeHead(401, { 'www-authenticate': 'Basic realm="host"' }).end()
  if (pathname.startsWith('/held/') && request.method === 'POST') await released()
  answer(request, response, pathname.replace(/^\/(?:private|held)/, ''), searchParams.toString())
}

const pem = (name) => readFileSync(join(root, `${name}.pem`))
createHttpsServer({ key: pem('key'), cert: pem('cert') }, host).listen(Number(port) + 1, '127.0.0.1')
createServer(host).listen(Number(port), '127.0.0.1')
