// Every statement of the runbook pages is one that a real server takes: reads are run, changes only parsed.
import { expect } from 'chai'
import type { CommandKind } from '../../../../../lib/model/findings/runbook/kit/page.js'
import { linesOf } from '../../../../support/configuration/runbook-lines.js'
import { type Databases, type Node, startDatabases } from '../../../../support/databases/database.js'
import { needSoftware } from '../../../../support/databases/versions.js'

/** ER_UNSUPPORTED_PS: the statement was parsed, and cannot be prepared. */
const NOT_PREPARED = 1295

/** Reads whose result says nothing but that they are understood. */
const reads = /^(SELECT|SHOW)\b/

/** Undefined when the server understands the statement, else its error. */
async function judge(node: Node, statement: string): Promise<string | undefined> {
  try {
    if (reads.test(statement)) await node.sql(statement)
    else await node.sql(`PREPARE runbook FROM ${quoted(statement)}`)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return message.includes(`error ${NOT_PREPARED}:`) ? undefined : `${statement}: ${message}`
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const statementsOf = (kinds: readonly CommandKind[]): readonly string[] =>
  linesOf(...kinds).flatMap(({ text }) => text.split(/;\s*/))

for (const [software, kinds] of [
  ['mariadb', ['sql', 'mariadb']],
  ['mysql-9', ['sql', 'mysql']],
] as const)
  describe(`the statements of runbooks on ${software}`, () => {
    let databases: Databases | undefined
    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 1, prefix: 'runbooks', software })
      const node = databases.node(0)
      await node.sql("CREATE USER IF NOT EXISTS 'monitor'@'%' IDENTIFIED BY 'runbook-Pw1'")
      // The variables of a plug-in are known when it is there.
      for (const each of statementsOf(kinds)) if (each.startsWith('INSTALL PLUGIN')) await node.sql(each)
    })
    after(() => databases?.teardown())

    it('are understood', async () => {
      const node = databases?.node(0)
      if (!node) throw new Error('no server')
      const errors = []
      for (const statement of statementsOf(kinds)) errors.push(await judge(node, statement))
      expect(errors.filter((error) => error !== undefined)).to.deep.equal([])
    })

    it('would be refused with another word', async () => {
      const node = databases?.node(0)
      if (!node) throw new Error('no server')
      expect(await judge(node, 'SHOW ALL REPLICAS STATE')).to.not.equal(undefined)
      expect(await judge(node, 'SET GLOBAL read_only := := ON')).to.not.equal(undefined)
    })
  })
