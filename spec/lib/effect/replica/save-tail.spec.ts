import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { now } from '../../../../lib/base/time.js'
import { tailDirectory } from '../../../../lib/effect/index.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Crash } from '../../../../lib/model/operation/crash.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('saveTail', () => {
  let databases: Databases
  let db1: Node
  let crash: Crash

  before(async () => {
    databases = await startDatabases({ count: 1 })
    db1 = databases.node(0)
    await db1.sql("CREATE DATABASE app; CREATE TABLE app.t (text VARCHAR(20)); INSERT INTO app.t VALUES ('before')")
    const [status = {}] = await db1.sql('SHOW MASTER STATUS')
    crash = {
      at: now(),
      oldPrimary: 'db1',
      newPrimary: 'db2',
      switchover: false,
      received: {},
      byOrigin: {},
      receivedText: '',
      oldFile: String(status.File),
      oldPosition: Number(status.Position),
      newFile: '',
      newPosition: 0,
      inSync: false,
    }
    await db1.sql("INSERT INTO app.t VALUES ('lost one'); FLUSH BINARY LOGS; INSERT INTO app.t VALUES ('lost two')")
  })
  after(() => databases.teardown())

  const command = (): Command => ({
    type: 'save-tail',
    server: 'db1',
    crash,
    extra: { '0-1': [[4, 5]] },
    extraText: '0-1:4-5',
  })

  const save = async (effects: TestEffects, list = '') => {
    const saved = await effects.run(command())
    effects.close()
    const directory = tailDirectory(effects.directory, crash)
    expect(saved).to.equal(path.join(directory, list))
    return { directory, files: (await readdir(directory)).sort() }
  }

  it('keeps the raw logs from the crash on, what is in them as text, and what is extra', async () => {
    const { directory, files } = await save(await testEffects(databases.nodes))
    expect(files).to.deep.equal(['bin.000001', 'bin.000002', 'crash.json', 'tail.sql'])
    const text = await readFile(path.join(directory, 'tail.sql'), 'utf8')
    expect(text).to.include('lost one').and.include('lost two').and.not.include("'before'")
    const report = JSON.parse(await readFile(path.join(directory, 'crash.json'), 'utf8'))
    expect(report).to.deep.include({ crash, extraText: '0-1:4-5', files: ['bin.000001', 'bin.000002', 'tail.sql'] })
    expect((await stat(directory)).mode & 0o777).to.equal(0o700)
  })

  it('is done when it was done before', async () => {
    const effects = await testEffects(databases.nodes)
    const directory = await effects.run(command())
    const before = await stat(path.join(directory, 'tail.sql'))
    await effects.run(command())
    effects.close()
    expect((await stat(path.join(directory, 'tail.sql'))).mtimeMs).to.equal(before.mtimeMs)
  })

  it('lists the events over SQL where the tool is missing', async () => {
    const plain = await testEffects(databases.nodes)
    const effects = await testEffects(databases.nodes, {
      settings: () => ({ ...plain.context.settings(), binlogTool: '/nowhere/mariadb-binlog' }),
    })
    plain.close()
    // The result names the list: there is no copy of the rows.
    const { directory, files } = await save(effects, 'tail-events.jsonl')
    expect(files).to.deep.equal(['crash.json', 'tail-events.jsonl'])
    const lines = (await readFile(path.join(directory, 'tail-events.jsonl'), 'utf8')).trim().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    expect(events[0]).to.deep.include({ Log_name: crash.oldFile, Pos: crash.oldPosition })
    expect(events.filter(({ Event_type: type }) => type === 'Gtid').length).to.be.at.least(2)
    expect(effects.log.join()).to.include('/nowhere/mariadb-binlog')
  })

  it('replaces a list by the logs as soon as they can be copied, and keeps it until then', async () => {
    const plain = await testEffects(databases.nodes)
    let binlogTool = '/nowhere/mariadb-binlog'
    const effects = await testEffects(databases.nodes, {
      settings: () => ({ ...plain.context.settings(), binlogTool }),
    })
    plain.close()
    const directory = tailDirectory(effects.directory, crash)
    const list = path.join(directory, 'tail-events.jsonl')
    expect(await effects.run(command())).to.equal(list)
    expect(await effects.run(command())).to.equal(list)
    binlogTool = ''
    const { files } = await save(effects)
    expect(files).to.deep.equal(['bin.000001', 'bin.000002', 'crash.json', 'tail.sql'])
  })

  it('copies again when the connection is lost', async () => {
    const folder = newDirectory('tool')
    const tool = path.join(folder, 'mariadb-binlog')
    // The first copy loses its connection when it has begun.
    const begun = path.join(folder, 'begun')
    await writeFile(
      tool,
      `#!/bin/sh\n[ -e ${begun} ] && exec mariadb-binlog "$@"\ntouch ${begun}\nfor a; do case $a in --result-file=*) echo part > "${'$'}{a#*=}bin.part";; esac; done\necho lost >&2; exit 1\n`,
      { mode: 0o755 },
    )
    const plain = await testEffects(databases.nodes)
    const effects = await testEffects(databases.nodes, {
      settings: () => ({ ...plain.context.settings(), binlogTool: tool }),
    })
    plain.close()
    const { files } = await save(effects)
    expect(files).to.include('tail.sql').and.not.include('bin.part')
    expect(effects.log.join()).to.include('the binary log is copied again')
  })

  it('says why when the server cannot be read', async () => {
    const effects = await testEffects(databases.nodes)
    await db1.stop()
    const result = await effects.perform({ ...command(), timeoutMs: 30_000 }, new AbortController().signal)
    effects.close()
    expect(result).to.have.nested.property('failure.code', 'sql-refused')
    expect(await readdir(effects.directory)).to.not.include(path.basename(tailDirectory('', crash)))
  })
})
