// First step of the build: sources that are printed from tables. Nothing is compiled yet, so esbuild bundles the program that prints them.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const outfile = at('../dist/print-api-types.js')

await build({
  entryPoints: [at('docs/print-api-types.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
})
await import(outfile)
