// Who sets a setting must know whether anything comes of it: `used` says so, and this holds it to the sources.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { settingNames, settingRow } from '../../../../lib/settings/index.js'

/** Names that are words of their own in the sources, or are only passed on. */
const ordinary: readonly string[] = [
  ...['user', 'test', 'backup', 'prov-service-plan', 'force-slave-parallel-mode'],
  // Topologies of a bootstrap have the names of settings, too.
  ...['maxscale-binlog', 'replication-multi-master-wsrep'],
]

/** Files that name settings without acting on them: a need, a plan or an example is no use of a value. */
const naming =
  /^(lib\/settings\/(table\/|check\.ts|plans\.ts)|actors\/cluster\/state\/needs\.ts|http\/api\/rows\/configuration\/settings\.ts)/

const sources = ['lib', 'actors', 'http', 'bin']
  .flatMap((folder) =>
    readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(folder, name),
    ),
  )
  .filter((file) => file.endsWith('.ts') && !naming.test(file))
  .map((file) => readFileSync(path.join(packageRoot, file), 'utf8'))
  .join('\n')

const checked = settingNames.filter((name) => !ordinary.includes(name))
const isRead = (name: string): boolean => sources.includes(`'${name}'`) || sources.includes(`settings.${name})`)

describe('used', () => {
  it('is said only of settings that some source reads', () => {
    expect(checked.filter((name) => settingRow(name).used && !isRead(name))).to.deep.equal([])
  })

  it('is said of every setting that some source reads', () => {
    expect(checked.filter((name) => !settingRow(name).used && isRead(name))).to.deep.equal([])
  })
})
