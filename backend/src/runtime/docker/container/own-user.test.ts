import { createInterface } from 'node:readline'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { imageLikeOurs } from '../../../../test/support/engine/changed-image.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import type { ContainerSpec } from '../../port.ts'
import { createOptions, namesFor } from './profile.ts'

const { docker, runtime, namespace } = useEngine()
const names = namesFor(namespace)

const sh = async (id: string, script: string): Promise<string> => {
  const options = { argv: ['bash', '-lc', script], timeoutMs: 60_000, maxOutputBytes: 100_000 }
  const { exitCode, stdout, stderr } = await runtime.run(id, options)
  return exitCode === 0 ? stdout.toString() : `exit code ${exitCode}: ${stdout.toString()}${stderr.toString()}`
}

/** Owner, group, mode and name of the home and of what is in it, which the skeleton of our image is. */
const OWNERS = 'cd; stat -c "%u:%g %a %n" . .bashrc .profile'
const ownedBy = (uid: number): string => `${uid}:1000 755 .\n${uid}:1000 644 .bashrc\n${uid}:1000 644 .profile\n`
/** Leaves a file, and reads all that was left. */
const VISIT = 'date +%N >> ~/visits && mkdir -p ~/.cache/x && wc -l < ~/visits'

describe('an agent with a user id of its own', () => {
  it('is developer, and its home and all that is in it are its own', async () => {
    const { id } = await runtime.launch(newSpec(IMAGE, { uid: 59_001 }))
    expect(await sh(id, 'whoami; id; echo ~developer $HOME')).toBe(
      'developer\nuid=59001(developer) gid=1000(developer) groups=1000(developer)\n/home/developer /home/developer\n',
    )
    expect(await sh(id, OWNERS)).toBe(ownedBy(59_001))
    expect(await sh(id, 'find ~ ! -user developer; find / -xdev -nouser 2>/dev/null || true')).toBe('')
  })

  // In the short form the test before asks `whoami` and `id`.
  longIt('has the tools that ask for their user', async () => {
    const { id } = await runtime.launch(newSpec(IMAGE, { uid: 59_002 }))
    const asked: [script: string, said: string][] = [
      [
        `python3 -c 'import os, pwd; print(pwd.getpwuid(os.getuid()))' | grep -o "pw_name='[a-z]*'"`,
        "pw_name='developer'",
      ],
      ['node -p "os.userInfo().username"', 'developer'],
      [
        'ssh -G example.test | grep -E "^(user |identityfile ~/.ssh/id_rsa)"',
        'user developer\nidentityfile ~/.ssh/id_rsa',
      ],
      [
        'ssh-keygen -q -t ed25519 -N "" -f ~/.ssh/id_ed25519 && cut -d" " -f3 ~/.ssh/*.pub',
        expect.stringMatching(/^developer@/) as string,
      ],
      ['git init -q ~/r && cd ~/r && echo x > f && git add f && git status --short', 'A  f'],
      ['cd ~/r && git -c user.name=n -c user.email=e@x commit -qm m && git log --format=%an', 'n'],
      // Both take seconds of a core. `images/developer/smoke.test.ts` makes an environment as another user.
      ...inLongForm<[string, string]>([
        ['python3 -m venv ~/venv && ~/venv/bin/python -c "print(1)"', '1'],
        [
          'mkdir ~/p && cd ~/p && npm init -y >/dev/null && npm install -g . >/dev/null && ls ~/.local/lib/node_modules',
          'p',
        ],
      ]),
      [`prompt='\\u'; echo "\${prompt@P}"`, 'developer'],
    ]
    for (const [script, said] of asked) expect((await sh(id, script)).trim(), script).toEqual(said)
  })

  // `test/conformance/launch.ts` keeps a home in a new container.
  longIt('keeps its home through a restart, a new container, and a home that was emptied', async () => {
    const spec = newSpec(IMAGE, { uid: 59_003 })
    const { id } = await runtime.launch(spec)
    expect(await sh(id, VISIT)).toBe('1\n')
    await runtime.stop(id, 1)
    expect((await runtime.launch(spec)).id).toBe(id)
    expect(await sh(id, VISIT)).toBe('2\n')

    await runtime.remove(id)
    const second = await runtime.launch(spec)
    expect(await sh(second.id, `${VISIT}; whoami`)).toBe('3\ndeveloper\n')

    // The engine fills an empty home from the image, with the image's owner, whenever it makes a container.
    await sh(second.id, 'find ~ -mindepth 1 -delete')
    await runtime.remove(second.id)
    const third = await runtime.launch({ ...spec, memoryMb: 256 })
    expect(await sh(third.id, VISIT)).toBe('1\n')
    expect(await sh(third.id, OWNERS)).toBe(ownedBy(59_003))
  })

  it('follows no link out of the home that is given', async () => {
    const image = await imageLikeOurs(
      { docker, namespace },
      'links',
      'cd ~developer && ln -s / up && ln -s /etc/passwd p && mkdir -m 700 deep && touch deep/f && chown -hR 1000:1000 . && userdel developer && ln -sf ../usr/share/base-passwd/passwd.master /etc/passwd',
    )
    try {
      const { id } = await runtime.launch(newSpec(image, { uid: 59_007 }))
      expect(await sh(id, 'cd; stat -c "%u %n" up p deep deep/f / /etc/passwd; whoami')).toBe(
        '59007 up\n59007 p\n59007 deep\n59007 deep/f\n0 /\n0 /etc/passwd\ndeveloper\n',
      )
    } finally {
      await runtime.list().then((all) => Promise.all(all.map(({ id }) => runtime.remove(id))))
      await docker.getImage(image).remove({ force: true })
    }
  })

  it('is given a name and a home by an image that has neither', async () => {
    const image = await imageLikeOurs({ docker, namespace }, 'nobody', 'userdel --remove developer && rm -rf /home')
    const spec = newSpec(image, { uid: 59_013 })
    try {
      const { id } = await runtime.launch(spec)
      expect(await sh(id, `whoami; stat -c %u ~; ${VISIT}`)).toBe('developer\n59013\n1\n')
      await runtime.remove(id)
      const { id: second } = await runtime.launch(spec)
      expect(await sh(second, VISIT)).toBe('2\n')
      await runtime.remove(second)
    } finally {
      await docker.getImage(image).remove({ force: true })
    }
  })

  it('is made anew where a server was killed between its creation and its start', async () => {
    const spec = newSpec(IMAGE, { uid: 59_004 })
    const first = await runtime.launch(spec)
    await runtime.remove(first.id)
    const created = await docker.createContainer(createOptions(names, spec, null))
    const { id } = await runtime.launch(spec)
    expect(id).not.toBe(created.id)
    expect(await sh(id, `whoami; ${VISIT}`)).toBe('developer\n1\n')
  })
})

describe('an agent whose image has much in its home', () => {
  /** More than is carried through the server. */
  const MUCH = 'cd ~developer && mkdir -m 700 tool && head -c 3000000 /dev/urandom > tool/f && chown -R 1000:1000 tool'
  let image = ''
  let bare = ''
  beforeAll(async () => {
    image = await imageLikeOurs({ docker, namespace }, 'much', `${MUCH} && ln -s / up && ln -s /etc/passwd p`)
    bare = await imageLikeOurs({ docker, namespace }, 'no-chown', `${MUCH} && rm /bin/chown`)
  })
  afterAll(async () => {
    const containers = await docker.listContainers({ all: true, filters: { ancestor: [image, bare] } })
    for (const { Id } of containers) await docker.getContainer(Id).remove({ force: true, v: true })
    for (const one of [image, bare]) await docker.getImage(one).remove({ force: true })
  })

  it('has all of it, now and with a new container', async () => {
    const spec = newSpec(image, { uid: 59_011 })
    const { id } = await runtime.launch(spec)
    const owners = 'cd; stat -c "%u:%g %n" . tool tool/f up p / /etc/passwd; wc -c < tool/f'
    const all = ['.', 'tool', 'tool/f', 'up', 'p'].map((name) => `59011:1000 ${name}\n`).join('')
    expect(await sh(id, owners)).toBe(`${all}0:0 /\n0:0 /etc/passwd\n3000000\n`)
    expect(await sh(id, `${VISIT}; rm -r tool`)).toBe('1\n')
    await runtime.remove(id)
    expect(await sh((await runtime.launch(spec)).id, `${VISIT}; whoami`)).toBe('2\ndeveloper\n')
  })

  // `is made anew where a server was killed` has another step of a start.
  longIt('is made where an earlier server left what gives the home', async () => {
    const spec = newSpec(image, { uid: 59_012 })
    const giver = { name: names.homeGiver(spec.agentName), Image: IMAGE, Labels: { [names.label.agent]: spec.agentId } }
    await docker.createContainer(giver)
    const { id } = await runtime.launch(spec)
    expect(await sh(id, VISIT)).toBe('1\n')
    await expect(docker.getContainer(giver.name).inspect()).rejects.toMatchObject({ statusCode: 404 })
  })

  it('takes nothing from a container that is another’s and stands where the home would be given', async () => {
    const spec = newSpec(image, { uid: 59_005 })
    const foreign = await docker.createContainer({ name: names.homeGiver(spec.agentName), Image: IMAGE })
    await expect(runtime.launch(spec)).rejects.toMatchObject({ code: 'name_taken' })
    expect((await foreign.inspect()).State.Status).toBe('created')
    expect(await runtime.find(spec)).toBeNull()
  })

  it('leaves nothing where its container cannot be started, or its image cannot give the home', async () => {
    const refused: [change: Partial<ContainerSpec>, code: string][] = [
      [{ memoryMb: 4 }, 'no_memory'],
      [{ image: bare }, 'engine_error'],
    ]
    for (const [change, code] of refused) {
      const spec = newSpec(image, { uid: 59_010, ...change })
      await expect(runtime.launch(spec)).rejects.toMatchObject({ code })
      const containers = await docker.listContainers({ all: true })
      const { Volumes } = await docker.listVolumes()
      const left = [...containers.flatMap(({ Names }) => Names), ...Volumes.map(({ Name }) => Name)]
      expect(left.filter((name) => name.includes(spec.agentName))).toEqual([])
    }
  })
})

describe('what the kernel counts by user: agent A takes all inotify instances', () => {
  /** Says so when the kernel refuses one more, and holds them until its input ends. */
  const HOARD = `import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
taken = 0
while libc.inotify_init() >= 0: taken += 1
print(taken, errno.errorcode[ctypes.get_errno()], flush=True)
sys.stdin.read()`
  const WATCH = `const { once } = require('node:events'), fs = require('node:fs')
const watcher = fs.watch(process.env.HOME)
once(watcher, 'change').then(([, name]) => { console.log('saw', name); watcher.close() })
fs.writeFileSync(process.env.HOME + '/new', '')`

  it('and B’s tail -f and fs.watch go on working', async () => {
    const a = await runtime.launch(newSpec(IMAGE, { uid: 59_008 }))
    const b = await runtime.launch(newSpec(IMAGE, { uid: 59_009 }))
    const hoard = await runtime.stream(a.id, ['python3', '-c', HOARD])
    try {
      const lines = createInterface({ input: hoard.output })[Symbol.asyncIterator]()
      const { value } = await lines.next()
      expect(value).toMatch(/^\d+ EMFILE$/)
      // It has really none left itself.
      expect(await sh(a.id, `node -e "require('fs').watch('/tmp')" 2>&1 | grep -o EMFILE | head -1`)).toBe('EMFILE\n')

      const tail = 'echo line > ~/f; timeout 30 tail -f ~/f 2>&1 | head -1'
      expect(await sh(b.id, tail)).toBe('line\n')
      const watch = { argv: ['node', '-e', WATCH], timeoutMs: 60_000, maxOutputBytes: 1000 }
      expect((await runtime.run(b.id, watch)).stdout.toString()).toBe('saw new\n')
    } finally {
      hoard.close()
    }
  })
})
