/** Makes keys of SSH. */
import ssh2 from 'ssh2'

type Pair = ReturnType<typeof ssh2.utils.generateKeyPairSync>

/** Of this many keys in a row, one can be read, unless the library is broken: it spoils one of 256. */
const ATTEMPTS_MAX = 16

/**
 * A new pair of keys in OpenSSH's form. The library drops a leading zero of an Ed25519 key, and cannot read such a key itself,
 * so a pair that cannot be read is made again.
 *
 * @param generate makes a pair; only tests give it
 * @throws {Error} if no pair can be read
 */
export const newEd25519Pair = (generate: () => Pair = () => ssh2.utils.generateKeyPairSync('ed25519')): Pair => {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const pair = generate()
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair
  }
  throw new Error('no key of SSH can be made')
}
