// Starts a program from its bundle; from the compiled modules when they are newer, as after `tsc` alone.
import { statSync } from 'node:fs'

const built = (name) => new URL(`../dist/${name}`, import.meta.url)
const builtAt = (name) => statSync(built(name), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Loads `dist/bundle/{name}.js` or `dist/bin/{name}.js`. `dist/.built` is written when bundles are complete. */
export const launch = (name) =>
  import(built(builtAt('.built') > builtAt('.tsbuildinfo') ? `bundle/${name}.js` : `bin/${name}.js`))
