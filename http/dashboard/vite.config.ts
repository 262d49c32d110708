// How the dashboard is bundled: into dist/dashboard, with a digest in each name; `npx vite http/dashboard` serves it while it is written.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The manager that the development server asks. */
const manager = process.env.MANAGER_URL ?? 'http://127.0.0.1:10001'

export default defineConfig({
  root: here,
  publicDir: false,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    assetsDir: 'assets',
    // The icon alone is small enough to be part of what names it.
    assetsInlineLimit: (file) => file.endsWith('/icon.svg'),
    // The styles of a page are loaded with it. Its scripts name those they import themselves: a list of them all would be part of the first load.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files) => files.filter((file) => file.endsWith('.css')),
    },
    reportCompressedSize: false,
    manifest: 'manifest.json',
    // What every page needs is one file beside the entry: each further one is a request of the first load.
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /node_modules\/(preact|@preact)|\/http\/client\/api\/|\/src\/(client|store\/me|store\/fleet|text|plan\/opened|parts\/(basic|list))/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: manager, secure: false }, '/graphite': { target: manager, secure: false } } },
})
