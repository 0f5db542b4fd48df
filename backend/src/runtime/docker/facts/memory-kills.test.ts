import { describe, expect, it } from 'vitest'
import { KernelLog } from './kernel-log.ts'
import { containerOfKill, killsIn } from './memory-kills.ts'

const ID = '44e31c7b3aea31a48d1168f220baff2345c49121ddb08f959a669b702f3da135'
const OTHER = 'a'.repeat(64)
/** The kernel's record with cgroupfs. With systemd, the group is `/system.slice/docker-<id>.scope`. */
const kill = (group = `/docker/${ID}`, name = 'tail'): string =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=${ID},mems_allowed=0,oom_memcg=${group},task_memcg=${group},task=${name},pid=31845,uid=1000`

describe('a container’s memory counters', () => {
  it.each([
    ['version 1', 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n', 3],
    ['version 1 before a kill', 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n', 0],
    ['version 2', 'low 0\nhigh 0\nmax 127\noom 2\noom_kill 1\noom_group_kill 0\n', 1],
    ['version 2 of an older kernel', 'low 0\nhigh 0\nmax 4\noom 1\noom_kill 1\n', 1],
  ])('are read as control groups of %s write them', (_version, text, kills) => {
    expect(killsIn(text)).toBe(kills)
  })

  it.each(['', 'oom_kill', 'oom_kill x', 'oom_killer 5', 'oom_kill 1e9', ' oom_kill 5'])(
    'are not there in %j',
    (text) => {
      expect(killsIn(text)).toBeNull()
    },
  )
})

describe('the kernel’s word of a memory kill', () => {
  it('names the container under each control group driver', () => {
    expect(containerOfKill(kill())).toBe(ID)
    expect(containerOfKill(kill(`/system.slice/docker-${ID}.scope`))).toBe(ID)
    expect(containerOfKill(kill(`/docker/${ID}/nested`))).toBe(ID)
    const ofTheMachine = `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/docker/${ID},task=node,pid=1,uid=1000`
    expect(containerOfKill(ofTheMachine)).toBe(ID)
  })

  it.each([
    kill('/user.slice/session-1.scope'),
    kill('/', `task_memcg=/docker/${ID},task=x`),
    `tail invoked oom-killer: gfp_mask=0xcc0, ${kill()}`,
    'Memory cgroup out of memory: Killed process 31845 (tail)',
    '',
  ])('is not taken from %j', (message) => {
    expect(containerOfKill(message)).toBeNull()
  })
})

describe('the kernel’s log', () => {
  const NOW = Date.UTC(2030, 0, 1)
  /** Opens a log on a machine that started 1,000 s ago. */
  const opened = (records: string[]) => {
    let now = NOW
    const read = (buffer: Buffer): number => {
      const record = records.shift()
      if (record === undefined) throw Object.assign(new Error('no more'), { code: 'EAGAIN' })
      if (record === 'overwritten') throw Object.assign(new Error('gone'), { code: 'EPIPE' })
      return buffer.write(record, 'latin1')
    }
    const log = new KernelLog(read, () => undefined, { now: () => now, sinceStart: () => 1_000_000 + now - NOW })
    return { log, records, pass: (ms: number) => (now += ms) }
  }
  const at = (seconds: number, message: string): string => `6,19176,${seconds * 1_000_000},-;${message}\n SUBSYSTEM=x\n`

  it('explains the end of a container in which something was just killed, and no other', () => {
    const { log, records, pass } = opened([])
    records.push('overwritten', at(1000, 'eth0: link is up'), at(1000, kill()))
    expect(log.explains(ID, NOW)).toBe(true)
    expect(log.explains(OTHER, NOW)).toBe(false)
    pass(60_000)
    expect(log.explains(ID, NOW + 60_000)).toBe(false)
    records.push(at(1060, kill()))
    log.started(ID)
    expect(log.explains(ID, NOW + 60_000)).toBe(false)
    log.close()
  })

  it('explains also an end before the first look', () => {
    const { log } = opened([at(700, kill()), at(990, kill(`/docker/${OTHER}`))])
    expect(log.explains(OTHER, NOW - 9_000)).toBe(true)
    expect(log.explains(ID, NOW)).toBe(false)
    log.close()
    log.close()
  })
})
