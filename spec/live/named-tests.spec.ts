// Named tests of a cluster: refused where they are not permitted, true where they pass, and whatever ends them, all is as it was.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { XMLValidator } from 'fast-xml-parser'
import type { Node } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const TESTS = '/api/clusters/story/tests'
const RUN = `${TESTS}/actions/run`
const TWICE = 'testSwitchover2TimesReplicationOkNoSemiSyncNoRplCheck'
const HELD_UP = 'testSwitchoverLongTrxWithoutCommitNoRplCheckNoSemiSync'
const schemas = "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'manager_trial'"

interface Run {
  readonly name: string
  readonly result: string
  readonly message: string
  readonly endedAt: string
  readonly timeline: readonly { readonly text: string; readonly undo: boolean; readonly outcome: string }[]
}

describe('named tests of a cluster', () => {
  const directory = newDirectory('hook')
  const victim = path.join(directory, 'victim')
  let cluster: ProtectedCluster
  let home: Node
  before(async () => {
    const script = path.join(directory, 'post')
    writeFileSync(script, `#!/bin/sh\n[ -e ${victim} ] || exit 0\npid=$(cat ${victim})\nrm ${victim}\nkill -9 $pid\n`, {
      mode: 0o755,
    })
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-post-script': script } })
    home = await cluster.primary()
  })
  after(() => end(cluster))

  const ask = async (name: string): Promise<Run> => {
    const { status, body } = await cluster.manager.post(`${RUN}/${name}`)
    expect(status, body).to.equal(200)
    return JSON.parse(body) as Run
  }
  const latest = async (): Promise<Run | undefined> => (await cluster.manager.get<readonly Run[]>(`${TESTS}/runs`))[0]
  const isAsItWas = async () => {
    expect(await cluster.primary()).to.equal(home)
    await cluster.convergesOn(home)
    for (const node of cluster.nodes)
      await eventually(async () => (await node.value(schemas)) === '0', `nothing is left on ${node.name}`)
  }
  const story = ({ result, message, timeline }: Run) =>
    `${result} ${message}\n${JSON.stringify(timeline, undefined, 1)}`

  it('are refused where the settings do not permit them, in their plan too', async () => {
    const { status, body } = await cluster.manager.post(`${RUN}/${TWICE}`)
    expect(status, body).to.equal(409)
    expect(body).to.match(/permits no tests: set test to true/)
    expect(await cluster.manager.get(`${RUN}/${TWICE}?plan=true`)).to.include({ possible: false })
    expect(await latest()).to.equal(undefined)
  })

  it('a switchover there and back passes, and leaves everything as it was', async () => {
    await setSetting(cluster, 'test', 'true')
    const run = await ask(TWICE)
    expect(run.result, story(run)).to.equal('PASS')
    expect(run.timeline.filter(({ text }) => text.startsWith('Switch over'))).to.have.length(2)
    await isAsItWas()
  })

  it('a name that is not known, and one that is not offered, has no result', async () => {
    expect((await cluster.manager.post(`${RUN}/testNothing`)).status).to.equal(404)
    const absent = await cluster.manager.post(`${RUN}/testMasterNil`)
    expect(absent.status, absent.body).to.equal(501)
    expect(absent.body).to.match(/testMasterNil is not offered: /)
  })

  it('refusals are proven: by an open transaction, stopped replicas, late ones, ones in maintenance, and no semi-sync', async () => {
    for (const name of [
      ...[HELD_UP, 'testSwitchoverLongTransactionNoRplCheckNoSemiSync', 'testSwitchoverLongQueryNoRplCheckNoSemiSync'],
      ...['testSwitchoverAllSlavesStopRplCheckNoSemiSync', 'testSwitchoverAllSlavesDelayRplCheckNoSemiSync'],
      ...['testSwitchoverAllReplicasInMaintenance', 'testSwitchoverAtSyncWithoutSemiSync'],
      'testSwitchoverReadOnlyNoRplCheck',
    ]) {
      const run = await ask(name)
      expect(run.result, `${name}: ${story(run)}`).to.equal('PASS')
    }
    await isAsItWas()
  })

  it('a test for clusters of another kind is skipped, never passed', async () => {
    const run = await ask('testSwitchover2TimesReplicationOkSemiSyncNoRplCheck')
    expect(run.result, story(run)).to.equal('SKIP')
    expect(run.message).to.match(/does not wait for replicas/)
    expect(run.timeline).to.deep.equal([])
  })

  it('what a killed manager had changed is taken back by the next one, and the test has failed', async () => {
    // Its own script kills the manager in the middle of the first switchover, when the role has moved.
    writeFileSync(victim, String(cluster.manager.pid))
    // It may be gone before it has answered.
    await cluster.manager.post(`${RUN}/${TWICE}?wait=false`).catch(() => undefined)
    await eventually(async () => cluster.manager.pid === 0, 'the manager is killed')
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(
      async () => ((await latest())?.endedAt ?? '') !== '',
      () => `it is taken back\n${cluster.manager.log().slice(-4_000)}`,
    )
    const run = await latest()
    expect(run).to.include({ name: TWICE, result: 'FAIL' })
    expect(run?.message).to.match(/the manager ended while the test ran/)
    await isAsItWas()
  })

  it('their results are JUnit XML', async () => {
    const reply = await cluster.manager.session.call('GET', `${TESTS}/junit`)
    const xml = reply.ok ? reply.value.body : ''
    expect(XMLValidator.validate(xml), xml).to.equal(true)
    expect(xml).to.match(/<testsuite name="story" tests="10" failures="1" errors="0" skipped="1" /)
    expect(xml.match(/<testcase /g)).to.have.length(10)
    expect(xml).to.match(/<failure message="the manager ended while the test ran/)
  })
})
