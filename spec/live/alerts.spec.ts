// Alerts of a real cluster to a real mail server and real HTTP receivers: a killed primary, silences, an outage of the mail server.
import { createHmac } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { MailSink, type SunkMail } from '../support/machine/mail-sink.js'
import { WebSink } from '../support/machine/web-sink.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { asReplica, comesBack, end, load, lossless, progress } from '../support/stories/story.js'
import { acknowledging } from '../support/stories/switching.js'
import { eventually, next } from '../support/wait.js'

const C = '/api/clusters/story'
const KEY = 'a-key-of-the-spec'
interface Standard {
  readonly type: string
  readonly data: { readonly title: string; readonly text: string; readonly clusters: readonly string[] }
}

describe('alerts of a cluster', () => {
  const mail = new MailSink()
  const web = new WebSink()
  const proxy = new WebSink()
  const datagrams: string[] = []
  let syslog: Socket
  let calls = ''
  let cluster: ProtectedCluster
  let old: Node
  let promoted: Node
  let succeededAt = 0

  const subjects = () => mail.mails.map(({ subject }) => subject)
  const mailed = async (pattern: RegExp, from = 0): Promise<SunkMail> => {
    let found: SunkMail | undefined
    await eventually(
      () => {
        found = mail.mails.slice(from).find(({ subject }) => pattern.test(subject))
        return found !== undefined
      },
      () => `a mail ${pattern} among ${JSON.stringify(subjects())}\n${cluster.manager.log().slice(-4_000)}`,
    )
    return found as SunkMail
  }
  const nameOf = async (node: Node) => {
    const servers = await cluster.manager.get<{ name: string; port: string }[]>(`${C}/topology/servers`)
    return servers.find(({ port }) => Number(port) === node.port)?.name ?? ''
  }

  before(async () => {
    await Promise.all([mail.open(), web.open(), proxy.open()])
    syslog = createSocket('udp4')
    syslog.on('message', (bytes) => datagrams.push(bytes.toString()))
    syslog.bind(0, '127.0.0.1')
    await next(syslog, 'listening', 'the server listens')
    const folder = newDirectory('alerts')
    calls = path.join(folder, 'calls')
    const script = path.join(folder, 'alert.sh')
    await writeFile(script, `#!/bin/sh\necho "$1 $2 $3" >> ${calls}\n`)
    await writeFile(calls, '')
    await chmod(script, 0o755)
    cluster = await startProtectedCluster({
      ...{ semiSync: true, options: lossless },
      settings: {
        'failover-limit': 0,
        'mail-to': 'ops@example.com',
        'alert-storm-limit': 50,
        'mail-from': 'Manager <manager@example.com>',
        'mail-smtp-addr': `127.0.0.1:${mail.port}`,
        'mail-smtp-user': mail.account.user,
        'mail-smtp-password': mail.account.password,
        'mail-smtp-tls-skip-verify': true,
        'mail-max-pool': 1,
        'alert-slack-url': web.url('/slack/secret-part'),
        'alert-slack-channel': '#databases',
        'alert-teams-url': web.url('/teams'),
        'alert-teams-proxy-url': proxy.url(''),
        'alert-pushover-url': web.url('/push'),
        'alert-pushover-app-token': 'app-token',
        'alert-pushover-user-token': 'user-token',
        'alert-webhook-url': web.url('/hook'),
        'alert-webhook-secret': KEY,
        'alert-syslog': `127.0.0.1:${(syslog.address() as AddressInfo).port}`,
        'alert-script': script,
      },
      defaults: { 'api-public-url': 'https://manager.example.com:10005' },
    })
  })
  after(async () => {
    await end(cluster)
    syslog?.close()
    await Promise.all([mail.close(), web.close(), proxy.close()])
  })

  it('are tested on request, over every channel that is configured', async () => {
    const { status, body } = await cluster.manager.post(`${C}/alerts/test`)
    expect(`${status} ${body}`).to.match(/^200 /)
    const tested = JSON.parse(body) as { channel: string; receiver: string }[]
    const names = ['mail', 'slack', 'teams', 'pushover', 'webhook', 'syslog', 'script']
    expect(tested.map(({ channel }) => channel)).to.deep.equal(names)
    expect(body).not.to.include('secret-part')
    const test = mail.mails.find(({ subject }) => subject.startsWith('[TEST]'))
    expect(test).to.deep.include({ subject: '[TEST] story: test of alerts', to: ['ops@example.com'] })
    expect(test).to.deep.include({ isEncrypted: true, user: mail.account.user })
    const called = (await readFile(calls, 'utf8')).split('\n').filter((line) => line.startsWith('test:'))
    expect(called).to.deep.equal(['test:0 Master Failed'])
    expect(await cluster.manager.post(`${C}/alerts/test/fax`)).to.include({ status: 400 })
    web.status = 503
    const refused = await cluster.manager.post(`${C}/alerts/test/webhook`)
    web.status = 200
    expect(`${refused.status} ${refused.body}`).to.match(
      /502 .*webhook: 127.0.0.1:\d+: it answered 503 refused by the spec/,
    )
    mail.mails.length = 0
    web.requests.length = 0
    proxy.tunnels.length = 0
    datagrams.length = 0
    await writeFile(calls, '')
  })

  it('say in one mail that the primary was killed, what was lost and what to do', async () => {
    await acknowledging(cluster)
    const writers = load(cluster, { count: 4 })
    old = await cluster.primary()
    await progress(writers, 50)
    await old.kill()
    promoted = await cluster.movedFrom(old)
    const { text, at, headers, subject } = await mailed(/failover/)
    await writers.stop()
    const [was, is] = [await nameOf(old), await nameOf(promoted)]
    expect(subject).to.equal(`[ALERT] story: failover succeeded, ${is} is the primary (was ${was})`)
    expect(text).to.match(/What happened\n(.*\n)*? {2}.* is Failed/)
    expect(text).to.match(/Failover begins/)
    expect(text).to.match(/What was lost\n {2}\S+ replaced \S+\. No acknowledged transaction is lost/)
    expect(text).to.match(/Open now\n(.*\n)*? {2}Failed \S+: The server does not answer\./)
    expect(text).to.match(/What to do\n(.*\n)*?.*Check its host, process and error log/)
    expect(text).to.match(/manager-cli --cluster story explain/)
    expect(headers.get('auto-submitted')).to.equal('auto-generated')
    const line =
      cluster.manager
        .log()
        .split('\n')
        .find((each) => /"Failover succeeded/.test(each)) ?? '{}'
    succeededAt = Date.parse(JSON.parse(line).time)
    expect(at, 'it comes after the end of the failover').to.be.at.least(succeededAt)
  })

  it('end with one message when the server is a replica again: nothing was sent in between', async () => {
    await comesBack(cluster, old, ...asReplica)
    const { text, subject } = await mailed(/^\[ALERTOK\]/)
    expect(subject).to.match(/resolved/)
    expect(text).to.match(/Resolved\n(.*\n)*? {2}Failed \S+ \(reported/)
    expect(subjects()).to.have.length(2)
    expect(mail.most, 'that of mail-max-pool, and that of the test').to.be.within(1, 2)
  })

  it('come by every channel, each in its form', async () => {
    await eventually(
      () =>
        ['/slack/secret-part', '/teams', '/push', '/hook'].every(
          (one) => web.requests.filter(({ path: where }) => where === one).length >= 2,
        ) &&
        datagrams.length >= 2 &&
        readFileSync(calls, 'utf8').includes(' Failed'),
      () => JSON.stringify([web.requests.map(({ path: where }) => where), datagrams, readFileSync(calls, 'utf8')]),
    )
    const slack = web.bodies<{ text: string; channel: string }>('/slack/secret-part')
    expect(slack.map(({ channel }) => channel)).to.deep.equal(['#databases', '#databases'])
    expect(slack[0]?.text).to.match(/^\*\[ALERT\] story: failover succeeded/)
    expect(proxy.tunnels).to.deep.equal([`127.0.0.1:${web.port}`, `127.0.0.1:${web.port}`])
    expect(JSON.stringify(web.bodies('/teams')[0])).to.match(/AdaptiveCard.*failover succeeded/)
    const push = web.bodies<Record<string, unknown>>('/push')
    expect(push.map(({ token, user, priority }) => [token, user, priority])).to.deep.equal([
      ['app-token', 'user-token', 1],
      ['app-token', 'user-token', 0],
    ])
    const hooks = web.requests.filter(({ path: where }) => where === '/hook')
    for (const { headers, body } of hooks) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const signature = createHmac('sha256', KEY).update(signed).digest('base64')
      expect(headers['webhook-signature']).to.equal(`v1,${signature}`)
    }
    expect(web.bodies<Standard>('/hook').map(({ type }) => type)).to.deep.equal(['ALERT', 'ALERTOK'])
    expect(datagrams[0]).to.match(/^<26>1 \S+ \S+ manager \d+ ALERT \[alert@32473 clusters="story"/)
    expect(await readFile(calls, 'utf8')).to.match(new RegExp(`^${old.host}:${old.port} \\w+ Failed$`, 'm'))
  })

  it('wait while they are silenced, and come when the silence ends', async () => {
    const silence = { reason: 'the replica is moved', for: '1h', servers: await nameOf(old) }
    const added = await cluster.manager.post(`${C}/silences`, silence)
    expect(added.status, added.body).to.equal(200)
    const { id, owner, state } = JSON.parse(added.body) as Record<string, string>
    expect([owner, state]).to.deep.equal(['admin', 'running'])
    const before = mail.mails.length
    await old.kill()
    type Open = { code: string; silenced?: { by: string; reason: string }; notifiedAt?: string }
    let open: Open | undefined
    await eventually(async () => {
      open = (await cluster.manager.get<Open[]>(`${C}/alerts`)).find(({ code }) => code === 'Failed')
      return open !== undefined
    }, 'the replica is seen to have failed')
    expect(open?.silenced).to.include({ by: 'admin', reason: 'the replica is moved' })
    expect(open?.notifiedAt).to.equal(undefined)
    expect(mail.mails).to.have.length(before)
    const ended = await cluster.manager.session.call('DELETE', `${C}/silences/${id}`)
    expect(ended.ok && ended.value.status).to.equal(200)
    const { text } = await mailed(/^\[ALERT\] story: Failed/, before)
    expect(text).to.match(/Open now\n(.*\n)*? {2}Failed/)
  })

  it('survive an outage of the mail server and the death of the manager: a finding reports it, the mail comes later', async () => {
    const acknowledged = await cluster.manager.post(`${C}/alerts/acknowledge`, { reason: 'on it', code: 'Failed' })
    expect(`${acknowledged.status} ${acknowledged.body}`).to.equal('200 {"acknowledged":1}')
    const before = mail.mails.length
    const hooks = () => web.bodies<Standard>('/hook').map(({ data }) => data.title)
    const hooked = hooks().length
    await mail.close()
    await comesBack(cluster, old, ...asReplica)
    await cluster.opens('WARN0138')
    await eventually(
      () =>
        hooks()
          .slice(hooked)
          .some((title) => title.includes('resolved')),
      () => `the other channels send it meanwhile: ${hooks().slice(hooked).join('\n')}`,
    )
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    await cluster.opens('WARN0138')
    await mail.open()
    const { subject } = await mailed(/resolved/, before)
    expect(subject).to.match(/^\[ALERTOK\] story/)
    await cluster.closes('WARN0138')
    const security = await readFile(path.join(cluster.manager.dataDirectory, 'security.log'), 'utf8')
    for (const event of ['alerts-tested', 'alerts-silenced', 'silence-ended', 'alerts-acknowledged'])
      expect(security).to.include(`"event":"${event}"`)
    for (const kept of ['secret-part', 'app-token', KEY, mail.account.password]) {
      expect(cluster.manager.log()).not.to.include(kept)
      expect(security).not.to.include(kept)
    }
  })
})
