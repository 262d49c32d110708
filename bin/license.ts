// Makes and signs the licenses of a hosted service: `license keygen | sign | verify`, for its operator.
import { runLicenses } from './licenses/licenses.js'

const { text, status } = await runLicenses(process.argv.slice(2))
if (status === 0) process.stdout.write(`${text}\n`)
else process.stderr.write(`${text}\n`)
process.exitCode = status
