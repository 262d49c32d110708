// Runbook commands with the names that are known filled in: cluster, server, primary.
import type { PageCommand } from './kit/page.js'

/** Names of the reader's situation; each matches `plainName`. */
export interface Names {
  readonly cluster?: string | undefined
  /** Name, or `host:port`. */
  readonly server?: string | undefined
  readonly primary?: string | undefined
}

/** What may be in a command without quotes: in a shell, in SQL and in HTML. */
export const plainName = /^(?:[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}|\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?)$/

const tools: Readonly<Record<PageCommand['kind'], string>> = {
  cli: 'manager-cli ',
  ...{ sql: '', mariadb: '', mysql: '', shell: '' },
}

/** The whole line as it is typed. */
export function fillCommand({ kind, text }: PageCommand, names: Names): string {
  const cluster = kind === 'cli' && names.cluster !== undefined ? `--cluster ${names.cluster} ` : ''
  const line = kind === 'shell' ? withAddresses(text, names) : text
  return tools[kind] + cluster + withNames(line, names)
}

const withNames = (text: string, { cluster, server, primary }: Names): string =>
  text
    .replaceAll('<server>', server ?? '<server>')
    .replaceAll('<primary>', primary ?? '<primary>')
    .replaceAll('<cluster>', cluster ?? '<cluster>')

/** In a shell a server is a host and a port: `db1:3307` becomes `--host=db1 --port=3307`, `db1 3307`, `db1:3307`. */
function withAddresses(text: string, { server, primary }: Names): string {
  let line = text
  for (const [word, name] of Object.entries({ server, primary })) {
    const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(name ?? '') ?? []
    if (host === undefined || port === undefined) continue
    line = line
      .replaceAll(`--host=<${word}>`, `--host=${host} --port=${port}`)
      .replaceAll(`<${word}> 3306`, `${host} ${port}`)
      .replaceAll(`<${word}>:3306`, `${host}:${port}`)
      .replaceAll(`<${word}>`, host)
  }
  return line
}
