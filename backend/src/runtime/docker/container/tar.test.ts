import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { fileIn, ownerIn, tarOf, withOwner } from './tar.ts'

/** What GNU tar says of an archive. */
const listed = (archive: Buffer): string[] => {
  const options = ['--list', '--verbose', '--numeric-owner', '--file=-']
  const { stdout, stderr } = spawnSync('tar', options, { input: archive })
  expect(stderr.toString()).toBe('')
  const lines = stdout.toString().trim().split('\n')
  return lines.map((line) => line.replace(/ +\d+ \d{4}-\d\d-\d\d \d\d:\d\d/, ''))
}
/** An archive of a folder with a long name, links and an empty file in it. */
const packed = (format: string): Buffer => {
  const long = format === 'ustar' ? 'x' : 'x'.repeat(150)
  const script = `cd "$(mktemp -d)" && mkdir -p home/in && echo text > home/in/${long} && ln -s /etc home/link && : > home/empty &&
    ln home/empty home/hard && chmod 700 home/in && tar --create --format=${format} --sort=name --owner=7 --group=8 --file=- home; rm -r home`
  return spawnSync('sh', ['-c', script]).stdout
}

it.each([0, 1, 511, 512, 513, 70_000])('reads what it has packed: %i bytes', (size) => {
  const content = Buffer.alloc(size, 'x')
  const archive = tarOf('passwd', content)
  expect(archive.length % 512).toBe(0)
  expect(fileIn(archive).equals(content)).toBe(true)
})

it('finds the file behind the headers of an extended format, and nothing in a link', () => {
  const file = tarOf('passwd', Buffer.from('text'))
  const extended = tarOf('x', Buffer.from('30 mtime=1.5\n'))
  extended.write('x', 156)
  expect(fileIn(Buffer.concat([extended.subarray(0, 1024), file])).toString()).toBe('text')
  const link = tarOf('passwd', Buffer.alloc(0))
  link.write('2', 156)
  expect(fileIn(link)).toHaveLength(0)
  expect(fileIn(Buffer.from('cut off'))).toHaveLength(0)
})

it.each(['gnu', 'pax', 'ustar'])(
  'gives everything in an archive to one user, and the folder itself last: %s',
  (format) => {
    const archive = packed(format)
    expect(ownerIn(archive)).toBe(7)
    expect(ownerIn(archive.subarray(0, 2048))).toBe(7)
    const before = listed(archive)
    expect(before).toHaveLength(6)
    const after = listed(withOwner(archive, 59_999, 1000))
    const [folder = '', ...rest] = before.map((line) => line.replace(' 7/8', ' 59999/1000'))
    expect(after).toEqual([...rest, folder])
  },
)

it('has no owner where there is nothing', () => {
  expect(ownerIn(Buffer.alloc(0))).toBe(0)
  expect(ownerIn(Buffer.alloc(1024))).toBe(0)
})
