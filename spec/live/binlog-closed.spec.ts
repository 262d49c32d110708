// Stories of binary logs that are stored file by file when the server has closed them, and of stored files read by mysqlbinlog.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { readTerms, type Term } from '../../lib/backup/binlog/term.js'
import { unwrap } from '../../lib/base/result.js'
import type { Node } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { MadeCluster } from '../support/manager/made-cluster.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { setSetting } from '../support/stories/backups.js'
import { end, load, logLines, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const logsOf = (dataDirectory: string): string => path.join(dataDirectory, 'backups/story/binlogs')

/** Closed files of the last term. */
const storedIn = async (directory: string): Promise<readonly string[]> => {
  const terms: readonly Term[] = unwrap(await readTerms(directory))
  return (terms.at(-1)?.files ?? []).filter(({ closed, checksum }) => closed && checksum !== '').map(({ name }) => name)
}

describe('binary logs that are stored when they are closed', () => {
  let cluster: ProtectedCluster | undefined
  let made: MadeCluster | undefined
  afterEach(async () => {
    await end(cluster)
    await made?.destroy()
    cluster = made = undefined
  })

  it('are copied by binlog-copy-script, and a copy that is not whole is not taken', async () => {
    const folder = newDirectory('copy-script')
    const [script, called, cut, rotated] = ['copy', 'called', 'cut', 'rotated'].map((name) =>
      path.join(folder, name),
    ) as [string, string, string, string]
    writeFileSync(rotated, `#!/bin/sh\necho "$*" >>${folder}/stored\n`, { mode: 0o755 })
    writeFileSync(
      script,
      `#!/bin/sh\necho "$*" >>${called}\nif [ -e ${cut} ]; then head -c 200 "$5/$7" >"$6/$7"; else cp "$5/$7" "$6/$7"; fi\n`,
      { mode: 0o755 },
    )
    cluster = await startProtectedCluster({
      count: 2,
      settings: {
        ...{ 'backup-binlogs': true, 'binlog-copy-mode': 'script', 'binlog-copy-script': script },
        'binlog-rotation-script': rotated,
      },
    })
    const story = cluster
    const primary = await story.primary()
    const directory = logsOf(story.manager.dataDirectory)
    const writers = load(story, { count: 2, pauseMs: 5 })
    await progress(writers, 30)
    const current = String((await primary.sql('SHOW MASTER STATUS'))[0]?.File)
    await primary.sql('FLUSH BINARY LOGS')
    await eventually(
      async () => (await storedIn(directory)).includes(current),
      () => `${current} is stored\n${story.manager.log().slice(-4_000)}`,
    )
    expect(readFileSync(called, 'utf8')).to.match(
      new RegExp(`^story 127\\.0\\.0\\.1 ${primary.port} 22 \\S+ \\S+/incoming ${current.replace('.', '\\.')}$`, 'm'),
    )
    await eventually(
      () =>
        existsSync(`${folder}/stored`) &&
        readFileSync(`${folder}/stored`, 'utf8').includes(`story 127.0.0.1 ${primary.port} ${current} `),
      'binlog-rotation-script was called with it',
    )

    writeFileSync(cut, '')
    const next = String((await primary.sql('SHOW MASTER STATUS'))[0]?.File)
    await progress(writers, 30)
    await writers.stop()
    await primary.sql('FLUSH BINARY LOGS')
    await eventually(
      () => logLines(story, `${next} was copied with 200 bytes`).length > 0,
      () => `the log names the short copy\n${story.manager.log().slice(-4_000)}`,
    )
    expect(await storedIn(directory)).to.not.include(next)
    rmSync(cut)
    await eventually(async () => (await storedIn(directory)).includes(next), 'it is taken when it is whole')

    // Switched over while it runs, nothing is missing between the two ways.
    await setSetting(story, 'binlog-copy-mode', 'mysqlbinlog')
    await primary.sql('CREATE TABLE spec.later (a INT PRIMARY KEY)')
    await eventually(
      async () => unwrap(await readTerms(directory)).length === 1 && logLines(story, ' offset 4').length > 0,
      'it is stored on in the same term',
    )
  })

  it('come over the session of the manager on the host of the server, byte for byte', async () => {
    made = await MadeCluster.start({ settings: { 'backup-binlogs': true, 'binlog-copy-mode': 'ssh' } })
    const story = made
    const port = await story.primaryPort()
    const directory = logsOf(story.manager.dataDirectory)
    const stop = story.writing()
    const { File: current } = await story.ask(port, 'SHOW MASTER STATUS')
    await story.ask(port, 'DO SLEEP(1); FLUSH BINARY LOGS')
    await eventually(
      async () => (await storedIn(directory)).includes(String(current)),
      () => `${String(current)} is stored\n${story.log()}`,
    )
    await stop()
    const [term] = unwrap(await readTerms(directory)).slice(-1)
    const file = term?.files.find(({ name }) => name === current)
    const stored = gunzipSync(readFileSync(path.join(directory, term?.id ?? '', file?.stored ?? '')))
    const { place } = await story.ask(port, 'SELECT @@log_bin_basename AS place')
    expect(stored.equals(readFileSync(path.join(path.dirname(String(place)), String(current))))).to.equal(true)
  })

  it('are read by mysqlbinlog as well, whose other reading is an error', async () => {
    const folder = newDirectory('parse')
    const tool = path.join(folder, 'mysqlbinlog')
    const lying = path.join(folder, 'lying')
    // The second reading leaves the transactions out.
    writeFileSync(
      tool,
      `#!/bin/sh\necho "$*" >>${folder}/called\nif [ -e ${lying} ]; then exec mariadb-binlog --no-defaults --stop-position=300 "$@"; fi\nexec mariadb-binlog "$@"\n`,
      { mode: 0o755 },
    )
    cluster = await startProtectedCluster({
      count: 2,
      settings: { 'backup-binlogs': true, 'binlog-parse-mode': 'mysqlbinlog', 'backup-mysqlbinlog-path': tool },
      defaults: { 'backup-mysqlbinlog-path': tool },
    })
    const story = cluster
    const directory = logsOf(story.manager.dataDirectory)
    const primary: Node = await story.primary()
    const rotate = async (): Promise<string> => {
      const writers = load(story, { count: 2, pauseMs: 5 })
      await progress(writers, 30)
      await writers.stop()
      const current = String((await primary.sql('SHOW MASTER STATUS'))[0]?.File)
      await primary.sql('FLUSH BINARY LOGS')
      await eventually(async () => (await storedIn(directory)).includes(current), `${current} is stored`)
      return current
    }
    await rotate()
    expect(logLines(story, 'is not as it was read')).to.deep.equal([])
    const called = path.join(folder, 'called')
    await eventually(
      () => existsSync(called) && readFileSync(called, 'utf8').includes('--verify-binlog-checksum'),
      'mysqlbinlog has read it',
    )
    writeFileSync(lying, '')
    const file = await rotate()
    await eventually(
      () => logLines(story, `stored binary log ${file} is not as it was read`).length > 0,
      () => `it is an error\n${story.manager.log().slice(-3_000)}`,
    )
    const errors = logLines(story, 'is not as it was read')
    expect(errors.filter((line) => !line.includes(`stored binary log ${file} is`))).to.deep.equal([])
  })
})
