// Prints share/doc/settings.md from the table.
import { isSecret, MASK, reveal } from '../../base/secret.js'
import type { SettingRow } from '../kit/row.js'
import { type SettingName, settingGroups, settingRow } from './index.js'

const introduction = `# Settings

Printed from the table in \`lib/settings/table\`; \`npm run docs\` prints it.

A setting is given, from weak to strong: built in, in the file (\`[Default]\` for all clusters, \`[<cluster>]\` for one), in the
environment (\`MANAGER_FAILOVER_MODE\` for \`failover-mode\`), as a flag (\`--failover-mode=automatic\`). What file, environment or
flag give can be changed at run time only until restart; other changes are kept in the working directory. A password that
\`C/actions/rotate-passwords\` replaced is the exception: the new one is kept and is in force as long as the old one is still given.

At run time \`manager-cli setting set\` changes a setting of one cluster, \`setting set-global\` one of the manager, or gives one of
clusters a value for all of them: what a cluster has of its own holds there. \`setting list\` says where each value comes from.

- **Scope** *server*: one value for the manager; *cluster*: one for each cluster.
- **Acts** *live*: at once; *restart*: at the next start.
- Secrets are never shown (\`${MASK}\`). In files they may be encrypted (\`aes256gcm:…\`), the whole value or the password alone (\`user:aes256gcm:…\`, also in a list); \`bin/manager keygen\` creates the key.
- Names of other versions and systems that have no effect here are accepted; \`bin/manager --explain-config\` lists those of a file.
`

export const printSettings = (): string =>
  [introduction, ...Object.entries(settingGroups).map(([title, rows]) => printGroup(title, rows))].join('\n')

function printGroup(title: string, rows: Readonly<Record<string, unknown>>): string {
  const heading = title.charAt(0).toUpperCase() + title.slice(1).replaceAll('-', ' ')
  const lines = Object.keys(rows).map((name) => printRow(name, settingRow(name as SettingName)))
  return `## ${heading}\n\n| Setting | Allowed | Default | Scope | Acts | Meaning |\n|---|---|---|---|---|---|\n${lines.join('\n')}\n`
}

function printRow(name: string, row: SettingRow): string {
  const cells = [
    `\`${name}\``,
    row.secret ? `${row.shape.allowed} (secret)` : row.shape.allowed,
    printDefault(row),
    row.scope,
    row.apply,
    row.was.length === 0 ? row.doc : `${row.doc} Also: ${row.was.map((spelling) => `\`${spelling}\``).join(', ')}.`,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function printDefault({ default: value, shape, secret, shown }: SettingRow): string {
  const text = shown ?? String(shape.plain(value))
  if (text === '') return 'empty'
  return secret && isSecret(value) && reveal(value) !== '' ? 'set' : shown === undefined ? `\`${text}\`` : text
}
