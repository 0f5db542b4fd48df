import { describe, expect, it } from 'vitest'
import { pastedFiles, quotePath, safeName, withoutEscapes } from './paste.ts'

describe('a path as one word of a shell', () => {
  it.each([
    ['/home/developer/uploads/a1/shot-1_2.png', '/home/developer/uploads/a1/shot-1_2.png'],
    ['/h/my shot.png', "'/h/my shot.png'"],
    ['/h/ü.png', "'/h/ü.png'"],
    ['/h/$(id).png', "'/h/$(id).png'"],
    ["/h/it's.png", `"/h/it's.png"`],
    ["/h/it's $5.png", `'/h/it'\\''s $5.png'`],
  ])('%s', (path, quoted) => expect(quotePath(path)).toBe(quoted))
})

describe('the name of a file', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../.ssh/keys', '__.._.ssh_keys'],
    ['.bashrc', '_bashrc'],
    ['-rf', '_rf'],
    ['a\nb\x1b[31m.txt', 'a_b_[31m.txt'],
    ['exe\u202efdp.js', 'exe_fdp.js'],
    ['  ', 'file'],
    ['', 'file'],
  ])('%j stays one name', (name, safe) => {
    expect(safeName(name)).toBe(safe)
  })
})

describe('pasted text', () => {
  it('cannot end its own bracket', () => {
    expect(withoutEscapes('safe\x1b[201~rm -rf ~\n')).toBe('safe␛[201~rm -rf ~\n')
    expect(withoutEscapes('\x9b201~x')).toBe('␛201~x')
  })
})

describe('a paste with files', () => {
  const data = (text: string, ...names: string[]) => ({
    files: names.map((name) => new File(['x'], name)) as unknown as FileList,
    getData: () => text,
  })
  const names = (files: File[]) => files.map(({ name }) => name)

  it('is the files where nothing else came, or only their names', () => {
    expect(names(pastedFiles(data('', 'image.png')))).toEqual(['image.png'])
    expect(names(pastedFiles(data('a.txt\nb.txt', 'a.txt', 'b.txt')))).toEqual(['a.txt', 'b.txt'])
    expect(names(pastedFiles(data('/Users/me/a.txt', 'a.txt')))).toEqual(['a.txt'])
  })

  it('is the text of a spreadsheet, not the picture of it', () => {
    expect(pastedFiles(data('1\t2\n3\t4', 'image.png'))).toEqual([])
    expect(pastedFiles(data('text'))).toEqual([])
  })
})
