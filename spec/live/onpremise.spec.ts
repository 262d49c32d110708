// From tags to running servers on three hosts over SSH: each with a root of its own, provisioned by the real scripts.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { type SshRoots, startSshRoots } from '../support/hosts/ssh-root.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

interface Task {
  readonly id: number
  readonly task: string
  readonly state: number
  readonly result?: string
}

const C = '/api/clusters/story'
const addresses = ['127.0.3.1', '127.0.3.2', '127.0.3.3']

describe('three hosts over SSH', () => {
  let roots: SshRoots
  let manager: ManagerProcess
  let ports: readonly number[]
  /** Of `monitoring-cluster-files`. */
  let files: string
  const settings = () => ({
    'db-servers-hosts': addresses.map((address, index) => `${address}:${ports[index]}`).join(','),
    'db-servers-credential': "monitor:it's a $ecret",
    'replication-credential': 'repl:replicates',
    'prov-orchestrator': 'onpremise',
    'onpremise-ssh': true,
    // Downloads need a token: each script brings one that opens its archive once.
    'api-credentials-secure-config': true,
    'onpremise-ssh-port': roots.port,
    'onpremise-ssh-private-key': roots.keyFile,
    'prov-db-memory': 128,
    'prov-db-tags': 'semisync,row,innodb,noquerycache,readonly,gtidstrict,linux',
    'force-slave-heartbeat-time': 1,
  })
  const server = (index: number) => `${C}/servers/${addresses[index]}/${ports[index]}`.replace(/\/(\d+)$/, '%3A$1')
  const tasks = async (): Promise<readonly Task[]> => {
    const jobs = await manager.get<{ servers: Record<string, { tasks: Task[] }> }>(`${C}/jobs`)
    return Object.values(jobs.servers).flatMap((each) => each.tasks)
  }
  const states = async (): Promise<readonly string[]> => {
    const servers = await manager.get<readonly { state: string }[]>(`${C}/topology/servers`)
    return servers.map(({ state }) => state).toSorted()
  }

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    ports = await freePorts(3)
    roots = await startSshRoots(addresses)
    files = newDirectory('files')
    await mkdir(path.join(files, 'story'))
    manager = await ManagerProcess.create({
      settings: { 'monitoring-cluster-files': files },
      clusters: { story: settings() },
    })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager?.destroy()
    await roots?.end()
  })

  it('provisions all of them with one request, each as a job with the output of its host', async () => {
    const reply = await manager.post(`${C}/services/actions/provision`)
    expect(reply.body).to.equal('')
    expect(reply.status).to.equal(200)
    const done = await tasks()
    expect(done.map(({ task, state }) => [task, state])).to.deep.equal(Array(3).fill(['provision', 4]))
    const { log } = await manager.get<{ log: string[] }>(`${C}/jobs/${done[0]?.id}`)
    expect(log.join('\n'))
      .to.match(/running debian-bootstrap on 127\.0\.3\.\d/)
      .and.to.match(/is provisioned/)
    expect(log.join('\n')).to.not.contain('ecret')
    for (const { root } of roots.hosts) expect(root.exists('/var/lib/mysql/.made-by-manager')).to.equal(true)
  })

  it('makes them a cluster', async () => {
    const seen = async () => (await states()).every((state) => state !== 'Failed' && state !== 'Suspect')
    await eventually(seen, 'every server answers the manager')
    const formed = await manager.post(`${C}/actions/replication/bootstrap/master-slave`)
    expect(formed.status, formed.body).to.equal(200)
    await eventually(async () => `${await states()}` === 'Master,Slave,Slave', 'they replicate')
  })

  it('remembers the key of every host', async () => {
    const known = await readFile(path.join(manager.dataDirectory, 'known_hosts'), 'utf8')
    for (const address of addresses) expect(known).to.contain(`[${address}]:${roots.port} ssh-ed25519 `)
  })

  it('restarts a replica and waits until it is back', async () => {
    const before = roots.hosts[2]?.root.read('/var/lib/mysql/.made-by-manager')
    const reply = await manager.post(`${server(2)}/actions/restart`)
    expect(reply.status, reply.body).to.equal(200)
    await eventually(async () => `${await states()}` === 'Master,Slave,Slave', 'it follows again')
    expect(roots.hosts[2]?.root.read('/var/lib/mysql/.made-by-manager')).to.equal(before)
  })

  it('removes no primary that is followed', async () => {
    const primary = await manager.get<{ id: string }>(`${C}/topology/master`)
    for (const target of [`${C}/servers/${primary.id}/actions/unprovision`, `${C}/services/actions/unprovision`]) {
      const reply = await manager.post(target)
      expect(reply.status).to.equal(409)
      expect(reply.body).to.contain('force=true')
    }
    await eventually(async () => `${await states()}` === 'Master,Slave,Slave', 'all of them are there')
  })

  it('removes a replica with its data and creates it again', async () => {
    const removed = await manager.post(`${server(2)}/actions/unprovision`)
    expect(removed.status, removed.body).to.equal(200)
    expect(roots.hosts[2]?.root.exists('/var/lib/mysql/mysql')).to.equal(false)
    const made = await manager.post(`${server(2)}/actions/provision`)
    expect(made.status, made.body).to.equal(200)
    expect(roots.hosts[2]?.root.exists('/var/lib/mysql/mysql')).to.equal(true)
  })

  it('ends a job on a host that is down with that reason', async () => {
    await roots.hosts[2]?.close()
    const reply = await manager.post(`${server(2)}/actions/apply-config`)
    expect(reply.status).to.equal(500)
    expect(reply.body).to.match(/root@127\.0\.3\.3:\d+: /)
    expect((await tasks()).findLast(({ task }) => task === 'apply')).to.include({ state: 5 })
    await roots.hosts[2]?.open()
    const again = await manager.post(`${server(2)}/actions/apply-config`)
    expect(again.status, again.body).to.equal(200)
  })

  it('ends a job on a host whose key has changed with that reason, until the file of known keys is right', async () => {
    const file = path.join(manager.dataDirectory, 'known_hosts')
    const right = await readFile(file, 'utf8')
    const keyOf = (address: string) => right.split('\n').find((line) => line.startsWith(`[${address}]:`)) ?? ''
    const [name = ''] = keyOf('127.0.3.3').split(' ')
    const other = keyOf('127.0.3.1').split(' ').slice(1).join(' ')
    await writeFile(file, right.replace(keyOf('127.0.3.3'), `${name} ${other}`))
    await roots.hosts[2]?.close()
    await roots.hosts[2]?.open()
    const reply = await manager.post(`${server(2)}/actions/apply-config`)
    expect(reply.status, reply.body).to.equal(500)
    expect(reply.body).to.contain('the host key has changed')
    expect((await tasks()).findLast(({ task }) => task === 'apply')).to.include({ state: 5 })
    await writeFile(file, right)
    const again = await manager.post(`${server(2)}/actions/apply-config`)
    expect(again.status, again.body).to.equal(200)
  })

  it('ends a job with a key that no host accepts, or that is none, with that reason, until the key is right', async () => {
    const right = await readFile(roots.keyFile)
    const apply = () => manager.post(`${server(2)}/actions/apply-config`)
    const stranger = roots.hosts[0]?.root.read('/etc/ssh/host_key') ?? ''
    for (const [key, reason] of [
      [stranger, /root@127\.0\.3\.3:\d+: the host refuses the login \(key\)/],
      ['no key\n', /root@127\.0\.3\.3:\d+: .*key/i],
    ] as const) {
      await writeFile(roots.keyFile, key)
      const reply = await apply()
      expect(reply.status, reply.body).to.equal(500)
      expect(reply.body).to.match(reason)
      const last = (await tasks()).findLast(({ task }) => task === 'apply')
      expect(last).to.include({ state: 5 })
      expect(last?.result).to.match(reason)
    }
    await writeFile(roots.keyFile, right)
    const again = await apply()
    expect(again.status, again.body).to.equal(200)
  })

  it('ends a job whose script breaks on the host with its status and its last line', async () => {
    const file = path.join(files, 'story', 'start.sh')
    await writeFile(file, 'echo "the disk is full" >&2\nexit 3\n')
    const set = await manager.post(
      `${C}/settings/actions/set/onpremise-ssh-start-db-script/${encodeURIComponent(file)}`,
    )
    expect(set.status, set.body).to.equal(200)
    const reply = await manager.post(`${server(2)}/actions/start`)
    expect(reply.status, reply.body).to.equal(500)
    const last = (await tasks()).findLast(({ task }) => task === 'start')
    expect(last).to.include({ state: 5 })
    expect(last?.result).to.match(/start\.sh ended with status 3: the disk is full$/)
    await writeFile(file, 'exit 0\n')
    const again = await manager.post(`${server(2)}/actions/start`)
    expect(again.status, again.body).to.equal(200)
    const clear = await manager.post(`${C}/settings/actions/clear/onpremise-ssh-start-db-script`)
    expect(clear.status, clear.body).to.equal(200)
  })

  it('answers at once where that is asked for, and where the job is read', async () => {
    const reply = await manager.session.call('POST', `${server(2)}/actions/apply-config?wait=false`)
    if (!reply.ok) throw new Error(reply.failure.message)
    expect(reply.value.status).to.equal(200)
    const location = String(reply.value.headers.location)
    expect(location).to.match(/^\/api\/clusters\/story\/jobs\/\d+$/)
    await eventually(async () => (await manager.get<Task>(location)).state === 4, 'the job ends')
  })

  it('reports how it runs a server', async () => {
    expect(await manager.get<string>(`${server(0)}/service-orchestrator`)).to.match(/orchestrator = onpremise/)
  })

  it('reads the end of an error log on its host', async () => {
    const { buffer } = await manager.get<{ buffer: readonly { text: string }[] }>(`${server(0)}/errorlog`)
    expect(buffer.length).to.be.above(3)
    expect(
      buffer.some(({ text }) => /InnoDB|ready for connections|binlog/i.test(text)),
      JSON.stringify(buffer),
    ).to.equal(true)
  })

  it('reads how full the disks of its hosts are, which the servers do not list', async () => {
    const set = (name: string, value: string) => manager.post(`${C}/settings/actions/set/${name}/${value}`)
    const detail = async (): Promise<string> => {
      const { warnings } = await manager.get<{ warnings: readonly { number: string; desc: string }[] }>(
        `${C}/topology/alerts`,
      )
      return warnings.find(({ number }) => number === 'ERR00079')?.desc ?? ''
    }
    expect((await set('monitoring-disk-usage-pct', '1')).status).to.equal(200)
    expect((await set('monitoring-disk-usage', 'true')).status).to.equal(200)
    await eventually(
      async () => (await detail()) !== '',
      () => `a disk is reported\n${manager.log().slice(-3_000)}`,
    )
    expect(await detail()).to.match(/\d+ % used on \/\S+ \(data\), [\d.]+(e\+\d+)? GiB left/)
    expect((await set('monitoring-disk-usage', 'false')).status).to.equal(200)
    await eventually(
      async () => (await detail()) === '',
      () => `it is no longer reported\n${manager.log().slice(-3_000)}`,
    )
  })

  it('shows what the option files on a host say, beside what its tags say by now', async () => {
    const change = (value: number) => manager.post(`${C}/settings/actions/set/prov-db-max-connections/${value}`)
    expect((await change(777)).status).to.equal(200)
    const { differences } = await manager.get<{ differences: readonly { name: string }[] }>(
      `${server(0)}/variables-drift`,
    )
    expect(differences.find(({ name }) => name === 'max_connections')).to.include({
      ...{ expected: '777', running: '1000', deployed: '1000', state: 'pending' },
    })
    expect((await change(1_000)).status).to.equal(200)
  })

  it('ends, as failed, what ran when the manager was killed, and can be asked for again', async () => {
    await manager.session.call('POST', `${server(2)}/actions/restart?wait=false`)
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
    const last = (await tasks()).findLast(({ task }) => task === 'restart')
    expect(last).to.include({ state: 5 })
    expect(last?.result).to.contain('the manager ended while it ran')
    // A script that the killed manager began goes on on its host, and no other one works beside it.
    let again = { status: 0, body: '' }
    await eventually(
      async () => {
        again = await manager.post(`${server(2)}/actions/start`)
        return again.status === 200 || !again.body.includes('works on this server already')
      },
      () => again.body,
    )
    expect(again.status, again.body).to.equal(200)
  })
})
