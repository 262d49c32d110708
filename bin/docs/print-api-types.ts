// Before the compiler: writes the types of the API that the dashboard, the client of the command line and users compile against.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openApiDocument, printApiTypes, routes } from '../../http/api/index.js'
import { packageRoot } from '../../lib/base/package-root.js'

const file = path.join(packageRoot, 'http/client/api/generated.ts')
const text = printApiTypes(openApiDocument(routes))
// Unchanged, it keeps its time: nothing is compiled again for it.
if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writeFile(file, text)
