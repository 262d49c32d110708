// A setting has a row only when some source reads it; names without effect stand in the list of recognised names.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { findRecognised, recognisedNames, settingNames } from '../../../../lib/settings/index.js'

/** Names that are words of their own in the sources, or are only passed on. */
const ordinary: readonly string[] = [
  ...['user', 'test', 'backup', 'prov-service-plan', 'force-slave-parallel-mode'],
  // Topologies of a bootstrap have the names of settings, too.
  ...['maxscale-binlog'],
]

/** Files that name settings without acting on them: a need, a plan or an example is no use of a value. */
const naming =
  /^(lib\/settings\/(table\/|configuration\/check\.ts)|actors\/cluster\/state\/needs\.ts|http\/api\/rows\/configuration\/settings\.ts)/

const sources = ['lib', 'actors', 'http', 'bin']
  .flatMap((folder) =>
    readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(folder, name),
    ),
  )
  .filter((file) => file.endsWith('.ts') && !naming.test(file))
  .map((file) => readFileSync(path.join(packageRoot, file), 'utf8'))
  .join('\n')

const isRead = (name: string): boolean => sources.includes(`'${name}'`) || sources.includes(`settings.${name})`)
const checked = (names: readonly string[]) => names.filter((name) => !ordinary.includes(name))

describe('settings and recognised names', () => {
  it('keeps a row only for what some source reads', () => {
    expect(checked(settingNames).filter((name) => !isRead(name))).to.deep.equal([])
  })

  it('recognises without effect only what no source reads', () => {
    expect(checked(recognisedNames).filter(isRead)).to.deep.equal([])
  })

  it('has no name in both lists', () => {
    expect(settingNames.filter((name) => findRecognised(name) !== undefined)).to.deep.equal([])
  })
})
