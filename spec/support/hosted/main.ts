// The hosted service of the specs as a program: `node dist/spec/support/hosted/main.js [port]`; what it is asked, it prints.
import { HostedService } from './hosted-service.js'

const service = new HostedService()
await service.open(Number(process.argv[2] ?? 8_018))
process.stdout.write(`registration API: ${service.url}
a mail is answered by: curl -X POST ${service.url}/stand-in/confirm-mail -d '{"email":"dba@acme.example"}'
what there is: curl ${service.url}/stand-in\n`)
let shown = 0
setInterval(() => {
  for (const { method, path } of service.requests.slice(shown)) process.stdout.write(`${method} ${path}\n`)
  shown = service.requests.length
}, 200)
