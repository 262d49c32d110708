// Another manager with the configuration of a first one, as after a copy to a second host.
import { readFileSync, writeFileSync } from 'node:fs'
import { ManagerProcess } from './manager-process.js'

export async function startSecondManager(first: ManagerProcess): Promise<ManagerProcess> {
  const second = await ManagerProcess.create({ clusters: {} })
  const text = readFileSync(first.configFile, 'utf8')
    .replaceAll(first.dataDirectory, second.dataDirectory)
    .replace(`api-port = ${first.apiPort}`, `api-port = ${second.apiPort}`)
    .replace(`https://127.0.0.1:${first.apiPort}`, `https://127.0.0.1:${second.apiPort}`)
    .replace(`http-port = ${first.httpPort}`, `http-port = ${second.httpPort}`)
  writeFileSync(second.configFile, text, { mode: 0o600 })
  second.start()
  await second.alive()
  return second
}
