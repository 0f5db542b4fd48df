// Runs in a container: reports by mode which CLIs its home signs in, and no other content of its files.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
const MAX_BYTES = 8_388_608
const textOf = (path) => {
  let file
  try {
    // O_NONBLOCK, so that a pipe in the file's place does not block.
    file = openSync(`${process.env.HOME}/${path}`, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(file)
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
const wanted = JSON.parse(readFileSync(0, 'utf8'))
const isThere = ({ path, has }) => new RegExp(has, 'm').test(textOf(path))
const found = wanted.filter(({ ways }) => ways.some((traces) => traces.every(isThere)))
process.stdout.write(JSON.stringify(found.map(({ mode }) => mode)))
