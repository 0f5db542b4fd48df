/** Skills that an agent brings: of a folder, of a git repository, and of the repository of a task. All of it may be hostile. */
import type { FoundSkills, SkillPreview } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { refusalOf } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'

const PORT = 9511
const SERVER = `import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
createServer((request, response) => {
  const [path, query = ''] = request.url.split('?')
  const env = { PATH: process.env.PATH, GIT_PROJECT_ROOT: '/home/developer/served', GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: path, QUERY_STRING: query, REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '', GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '' }
  const git = spawn('git', ['http-backend'], { env })
  request.pipe(git.stdin)
  const parts = []
  git.stdout.on('data', (part) => parts.push(part))
  git.on('close', () => {
    const all = Buffer.concat(parts)
    const end = all.indexOf('\\r\\n\\r\\n')
    for (const line of all.subarray(0, end).toString().split('\\r\\n')) {
      const [name, value] = line.split(': ')
      if (name === 'Status') response.statusCode = Number(value.split(' ')[0])
      else response.setHeader(name, value)
    }
    response.end(all.subarray(end + 4))
  })
}).listen(${PORT}, '127.0.0.1')
`
const textOf = (name: string): string => `---\nname: ${name}\ndescription: says how.\n---\nDo it.\n`

let owner: Client
let agent: string
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await owner.agent({ runtime: 'bash' })).name
  for (const [path, text] of [
    ['skills/good/SKILL.md', textOf('good')],
    ['skills/good/scripts/run.sh', '#!/bin/sh\necho 1\n'],
    ['skills/marked/SKILL.md', `${textOf('marked')}a\u202eb`],
    ['skills/large/SKILL.md', textOf('large') + 'x'.repeat(200_000)],
    ['skills/binary/SKILL.md', textOf('binary')],
    ['git-server.mjs', SERVER],
  ] as const) {
    await sh(owner, agent, `mkdir -p "$(dirname ${path})"`)
    await owner.upload(agent, path, text)
  }
  await sh(
    owner,
    agent,
    `cd skills && printf '\\377\\0' >binary/data && ln -s /etc/passwd good/passwd && ln -s good linked &&
      mkdir many && cp good/SKILL.md many && for n in $(seq 60); do : >many/f$n; done &&
      mkdir -p dotted/.hidden && sed s/good/dotted/ good/SKILL.md >dotted/SKILL.md && : >dotted/.hidden/x && ln -s / root`,
  )
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

const find = (body: object): Promise<FoundSkills> => owner.ok('POST', `/agents/${agent}/skills-import`, body)

describe('an import', () => {
  it('of a folder follows no link, and says what is wrong with hostile skills', async () => {
    const { skills, more } = await find({ folder: 'skills' })
    const of = (path: string) => skills.find((skill) => skill.path === path)
    expect(more).toBe(false)
    expect(skills.map(({ path }) => path)).toEqual(['binary', 'dotted', 'good', 'large', 'many', 'marked'])
    expect(of('good')).toMatchObject({ name: 'good', problems: [], files: [{ path: 'scripts/run.sh' }] })
    const messages = (path: string): string =>
      (of(path)?.problems ?? []).map(({ field, message }) => `${field}: ${message}`).join('; ')
    expect(messages('binary')).toContain('files: data is no text')
    expect(messages('dotted')).toContain('files: may not have the path ".hidden/x"')
    expect(messages('large')).toContain('SKILL.md: has more than')
    expect(messages('many')).toContain('files: has more than 20 files')
    expect(messages('marked')).toContain('SKILL.md: has the invisible character U+202E')
    expect(JSON.stringify(skills)).not.toContain('root:x:0')
  })

  it('of a folder that is not there, or not in the home, is refused', async () => {
    const path = `/agents/${agent}/skills-import`
    expect(await refusalOf(owner, 'POST', path, { folder: 'nothing' })).toEqual([404, 'FILE_NOT_FOUND'])
    expect(await refusalOf(owner, 'POST', path, { folder: '../../etc' })).toEqual([400, 'OUTSIDE_HOME'])
    expect(await refusalOf(owner, 'POST', path, { folder: 'skills/root' })).toEqual([400, 'OUTSIDE_HOME'])
    expect(await refusalOf(owner, 'POST', path, {})).toEqual([400, 'VALIDATION'])
    for (const url of ['file:///home/developer/served/it', 'ext::sh -c id', 'https://me:secret@git.example.org/x'])
      expect(await refusalOf(owner, 'POST', path, { git: { url } })).toEqual([400, 'VALIDATION'])
  })

  it('of a git repository runs none of its hooks and filters, uses no credential, and leaves no clone', async () => {
    const url = `http://127.0.0.1:${PORT}/it`
    await sh(
      owner,
      agent,
      `git init -q --bare served/it && git init -q work && cd work && cp -r ../skills/good . &&
        printf '* filter=evil\\n' >.gitattributes && git config --global filter.evil.smudge 'touch ~/filtered; cat' &&
        git config --global core.hooksPath ~/hooks && git config --global credential.helper 'touch-credential' &&
        mkdir ~/hooks && printf '#!/bin/sh\\ntouch ~/hooked\\n' >~/hooks/post-checkout && chmod +x ~/hooks/post-checkout &&
        git add . && git -c core.hooksPath=/dev/null -c user.name=a -c user.email=a@example.org commit -qm one &&
        git -c core.hooksPath=/dev/null push -q ../served/it HEAD:refs/heads/main &&
        git --git-dir=../served/it symbolic-ref HEAD refs/heads/main &&
        cd && (setsid node git-server.mjs >git.log 2>&1 &) && n=0 &&
        until curl -s -o git.up ${url}/info/refs; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`,
    )
    await sh(owner, agent, 'git --git-dir=served/it tag "v1+ä" main')
    for (const git of [{ url }, { url, ref: 'main' }, { url, ref: 'v1+ä' }])
      expect((await find({ git })).skills).toMatchObject([
        { path: 'good', name: 'good', problems: [], files: [{ path: 'scripts/run.sh' }] },
      ])
    expect(await sh(owner, agent, 'ls -d filtered hooked /tmp/slipway-clone-* 2>/dev/null; true')).toBe('')
    for (const ref of ['', '--upload-pack=touch hooked', 'main..x', 'main@{1}', 'a.lock'])
      expect(await refusalOf(owner, 'POST', `/agents/${agent}/skills-import`, { git: { url, ref } })).toEqual([
        400,
        'VALIDATION',
      ])
    const missing = await owner.call<{ code: string; message: string }>('POST', `/agents/${agent}/skills-import`, {
      git: { url, ref: 'nothing' },
    })
    expect([missing.status, missing.body.message]).toEqual([400, expect.stringContaining('git could not clone it')])
  })
})

describe('the skills of a repository', () => {
  it('are off by default, and never replace another owner’s', async () => {
    await sh(
      owner,
      agent,
      `git init -q repo && cd repo && mkdir -p .agents/skills/brought .claude/skills/good sub &&
        sed s/good/brought/ ../skills/good/SKILL.md >.agents/skills/brought/SKILL.md && cp ../skills/good/SKILL.md .claude/skills/good`,
    )
    await owner.ok('PUT', '/users/me/skills/good', { text: textOf('good') })
    const preview = async (cwd: string): Promise<(string | null)[][]> => {
      const body = { prompt: 'Do it', cwd }
      const { skills } = await owner.ok<SkillPreview>('POST', `/agents/${agent}/skills-preview`, body)
      // Other tests set skills of the platform.
      return skills.filter(({ of }) => of !== 'platform').map(({ of, name, refused }) => [of, name, refused])
    }
    const mine = ['user', 'good', null]
    expect(await preview('repo/sub')).toEqual([mine])
    await owner.ok('PUT', `/agents/${agent}/skill-settings`, { repository: true, maxPromptTokens: 4000 })
    const brought = ['repository', 'brought', null]
    expect(await preview('repo/sub')).toEqual([mine, brought, ['repository', 'good', 'replaced']])
    expect(await preview('/home/developer/repo')).toContainEqual(brought)
    expect(await preview('.')).toEqual([mine])
    await owner.ok('PUT', `/agents/${agent}/skill-settings`, { repository: true, maxPromptTokens: 0 })
    const path = `/agents/${agent}/skills-preview`
    for (const cwd of ['', '..', '/etc', 'nowhere', 'skills/root', 'skills/good/SKILL.md'])
      expect(await refusalOf(owner, 'POST', path, { prompt: 'Do it', cwd })).toEqual([400, 'VALIDATION'])
    expect((await preview('repo')).map(([, , refused]) => refused)).toEqual(['over_budget', 'over_budget', 'replaced'])
  })
})
