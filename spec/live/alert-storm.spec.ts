// A rack of 50 clusters dies at once: the receiver gets a handful of messages that name or count every cluster.
import { expect } from 'chai'
import { type Fleet, startFleet } from '../support/canned/fleet.js'
import { MailSink } from '../support/machine/mail-sink.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const CLUSTERS = 50
/** What is a handful. */
const HANDFUL = 5

describe('the alerts of a rack of 50 clusters', () => {
  const mail = new MailSink()
  let fleet: Fleet
  let manager: ManagerProcess

  before(async () => {
    await mail.open()
    fleet = await startFleet({ clusters: CLUSTERS, replicas: 2 })
    const clusters = Object.fromEntries(
      fleet.clusters.map((servers, index) => [
        `c${index + 1}`,
        {
          'db-servers-hosts': servers.map(({ host, port }) => `${host}:${port}`).join(','),
          'db-servers-credential': 'monitor:monitor',
          'replication-credential': 'repl:repl',
          'prov-db-tags': 'semisync,row,innodb,docker,linux',
        },
      ]),
    )
    manager = await ManagerProcess.create({
      settings: {
        ...{ 'mail-to': 'ops@example.com', 'mail-smtp-addr': `127.0.0.1:${mail.port}` },
        ...{ 'mail-smtp-tls-skip-verify': true, 'monitoring-alert-trigger': 'ERR00021,ERR00012' },
        // One mail at once, then one every 30 s: a manager that is slow to notice has two minutes for all clusters.
        ...{ 'alert-storm-limit': 1, 'alert-storm-interval': 30 },
      },
      clusters,
    })
    manager.start()
    await manager.alive()
    type Listed = { isAllDbUp: boolean; isDown: boolean }
    const seen = async () =>
      (await manager.get<Listed[]>('/api/clusters')).filter((one) => one.isAllDbUp && !one.isDown)
    // What was never seen alive does not die.
    await eventually(async () => (await seen()).length === CLUSTERS, 'every cluster is seen with its primary')
  })
  after(async () => {
    await manager?.destroy()
    await fleet?.teardown()
    await mail.close()
  })

  it(`end in at most ${HANDFUL} mails, in which every cluster is named or counted`, async () => {
    for (const server of fleet.clusters.flat()) await fleet.set(server, 'down')
    const named = () =>
      new Set(
        mail.mails.flatMap(({ subject, text }) =>
          [...`${subject}\n${text}`.matchAll(/\b(c\d+):/g)].map(([, name]) => name),
        ),
      )
    /** Clusters that a mail counts and does not name: the end of its list. */
    const unnamed = () =>
      mail.mails
        .flatMap(({ text }) => [...text.matchAll(/^ +and (\d+) more$/gm)].map(([, count]) => Number(count)))
        .reduce((sum, count) => sum + count, 0)
    await eventually(
      () => named().size + unnamed() >= CLUSTERS,
      () =>
        `${[...named()].length} clusters in ${mail.mails.map(({ subject }) => subject).join('\n')}\n${manager.log().slice(-4_000)}`,
      { progress: () => mail.mails.length },
    )
    expect(mail.mails.length).to.be.at.most(HANDFUL)
    const counted = mail.mails.flatMap(({ subject }) =>
      [...subject.matchAll(/(\d+) clusters/g)].map(([, count]) => Number(count)),
    )
    // All of them in so few mails: one mail at least holds its share, however late the manager noticed the others.
    expect(Math.max(...counted)).to.be.at.least(CLUSTERS / HANDFUL)
    expect(mail.mails.map(({ subject }) => subject).join('\n')).to.match(/^\[ALERT\] \d+ clusters: /m)
    expect(mail.mails.map(({ text }) => text).join('\n')).to.include('check what they share first')
  })
})
