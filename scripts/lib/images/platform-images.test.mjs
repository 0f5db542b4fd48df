import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { composeSetting } from '../set-up/env-file.mjs'
import { ensurePostgresImage } from './platform-images.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-docker-'))
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  vi.stubEnv('SLIPWAY_POSTGRES_IMAGE', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Puts a `docker` first that has the images built here, and no other until it is pulled. */
const placeDocker = ({ canPull }) =>
  writeFileSync(
    join(folder, 'docker'),
    `#!/bin/sh
case "$1 $2 $3" in
  'image inspect slipway-postgres:'*) exit 0 ;;
  'image inspect '*) exit 1 ;;
  'pull '*) echo 'no route to the registry'; exit ${canPull ? 0 : 1} ;;
esac
exit 1
`,
    { mode: 0o755 },
  )
/** The image after a set-up with this `.env`. */
const imageAfter = (text) =>
  ensurePostgresImage({ chosen: composeSetting(text, 'SLIPWAY_POSTGRES_IMAGE'), announce: () => {} })
const OWN = /^slipway-postgres:[0-9a-f]{12}$/

describe('the PostgreSQL of an upgrade can read the data of the one before:', () => {
  it('an image built here stays one, although the official one can be pulled now', async () => {
    placeDocker({ canPull: true })
    expect(await imageAfter('SLIPWAY_POSTGRES_IMAGE=slipway-postgres:abc\n')).toMatch(OWN)
  })

  it('the image that an operator has put into .env stays', async () => {
    placeDocker({ canPull: true })
    expect(await imageAfter('SLIPWAY_POSTGRES_IMAGE="mirror.example/postgres:16" # ours\n')).toBe(
      'mirror.example/postgres:16',
    )
  })

  it('the official image is not replaced by one built here while it can not be pulled', async () => {
    placeDocker({ canPull: false })
    await expect(imageAfter('SLIPWAY_POSTGRES_IMAGE=postgres:17\n')).rejects.toThrow(
      'SLIPWAY_POSTGRES_IMAGE (postgres:17) can not be pulled: no route to the registry',
    )
  })
})

it('a first set-up gets the official PostgreSQL, or one built here if that can not be pulled', async () => {
  placeDocker({ canPull: true })
  expect(await imageAfter('')).toBe('postgres:17')
  placeDocker({ canPull: false })
  expect(await imageAfter('')).toMatch(OWN)
})
