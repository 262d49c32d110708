// The flight recorder on a real cluster: a failover is recorded, exported and decided again by bin/manager, also by other settings.
import { createWriteStream, readFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { runDaemon } from '../support/manager/daemon-run.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const passwords = { keeper: 'Keeper-pass-7731', copier: 'Copier-pass-9912', hook: 'hook-secret-5523' }
/** Only in the statement of a user. */
const PRIVATE = 'customer-4711'

/** Logins of the cluster's own, whose passwords stand nowhere else. */
async function arrange([primary, ...replicas]: readonly Node[]): Promise<void> {
  if (!primary) throw new Error('there are three nodes')
  await prepareWrites(primary)
  await replicate(primary, replicas, { heartbeatSeconds: 1 })
  for (const user of ['keeper', 'copier'] as const) {
    await primary.sql(`CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY '${passwords[user]}'`)
    await primary.sql(`GRANT ALL ON *.* TO ${user}@'127.0.0.1' WITH GRANT OPTION`)
  }
}

/** Where the text has it, with what stands around it. */
function contextOf(text: string, secret: string): readonly string[] {
  const index = text.indexOf(secret)
  return index < 0 ? [] : [text.slice(Math.max(0, index - 200), index + 100)]
}

describe('the recording of a failover', () => {
  let cluster: ProtectedCluster
  let file: string

  before(async () => {
    cluster = await startProtectedCluster({
      options: durable,
      arrange,
      settings: {
        'db-servers-credential': `keeper:${passwords.keeper}`,
        'replication-credential': `copier:${passwords.copier}`,
        'alert-webhook-secret': passwords.hook,
        'monitoring-long-query-time': 100,
      },
    })
    await cluster.ready()
    file = path.join(cluster.manager.directory, 'recording.jsonl.gz')
  })
  after(() => end(cluster))

  it('is exported by the API after the primary was killed', async () => {
    const old = await cluster.primary()
    void old.sql(`SELECT SLEEP(600) /* ${PRIVATE} */`).catch(() => undefined)
    await cluster.opens('WARN0360')
    await old.kill()
    await cluster.movedFrom(old)
    await eventually(async () => {
      const opened = await cluster.manager.session.open('GET', '/api/clusters/story/recording')
      if (!opened.ok) throw new Error(opened.failure.message)
      expect(opened.value.status).to.equal(200)
      await pipeline(opened.value.body, createWriteStream(file))
      return gunzipSync(readFileSync(file)).includes('"message":"ended"')
    }, 'the end of the failover is recorded')
  })

  it('holds no password of the cluster and no statement of a user', () => {
    const text = gunzipSync(readFileSync(file)).toString()
    expect(text.includes('"observed-slowly"')).to.equal(true)
    const found = [...Object.values(passwords), PRIVATE].flatMap((secret) => contextOf(text, secret))
    expect(found).to.deep.equal([])
  })

  it('is decided again as it was, each decision with its evidence', async () => {
    const { status, out, err } = await runDaemon(['replay', file])
    expect(err).to.equal('')
    expect(out).to.match(/DECISION: failover from \S+ to \S+, asked by manager: /)
    expect(out)
      .to.match(/ {2}evidence: \w+; /)
      .and.match(/ {2}rule failover-mode: clear/)
    expect(out).to.match(/ {2}step 1: /)
    expect(out).to.match(/\d+ messages, \d+ decisions?: every decision is as recorded\n$/)
    expect(status).to.equal(0)
  })

  it('shows that no failover would have been made in manual mode', async () => {
    const { status, out } = await runDaemon(['replay', file, '--set', 'failover-mode=manual'])
    expect(out).to.include('with failover-mode = manual in place of failover-mode = automatic')
    expect(out).to.match(/ {2}as recorded: failover /)
    expect(out).to.match(/ {2}with these settings: nothing\n/)
    expect(out).to.match(/ {2}rule failover-mode: closed/)
    expect(out).to.include('no answer can be given beyond this moment')
    expect(status).to.equal(0)
  })

  it('shows everything that was known at a moment', async () => {
    const { out } = await runDaemon(['replay', file, '--at', `${Date.now()}`])
    expect(out).to.match(/^as of .*\ncluster story: master-slave|^as of .*\ncluster story: /m)
    expect(out.match(/^ {2}server /gm)).to.have.length(3)
  })
})
