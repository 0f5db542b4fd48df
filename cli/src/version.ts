/** The version of this package, which its manifest says. `build.mjs` puts both into one file. */
import manifest from '../package.json' with { type: 'json' }

export const VERSION = manifest.version
