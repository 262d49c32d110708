// A story of an old primary that diverged and comes back by a snapshot of its file system, on hosts over SSH. No ZFS can be had
// here: a program `zfs` on the host keeps copies of the data folder and understands what the job script asks of the real one.
import { expect } from 'chai'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { SshPair } from '../support/hosts/ssh-pair.js'
import type { SshRoot } from '../support/hosts/ssh-root.js'

const addresses = ['127.0.3.41', '127.0.3.42']
const store = '/var/lib/snapshots'

/** `zfs snapshot NAME SECOND` is of this story; everything else is refused unless it is a call of the job script. */
const zfs = `#!/bin/sh
echo "$*" >>${store}/called
case "$*" in
  'list -H -o name /var/lib/mysql') echo tank/mysql ;;
  'list -H -p -t snapshot -o creation,name -s creation -d 1 tank/mysql')
    for each in $(ls ${store} | grep -v called | sort -n); do printf '%s\\ttank/mysql@%s\\n' "$each" "$each"; done ;;
  'rollback -r tank/mysql@'*)
    wanted=\${3#*@}
    [ -d "${store}/$wanted" ] || exit 1
    [ -z "$(pidof mariadbd)" ] || { echo 'the data are in use' >&2; exit 1; }
    find /var/lib/mysql -mindepth 1 -delete
    cp -a "${store}/$wanted/." /var/lib/mysql
    for each in $(ls ${store} | grep -v called); do [ "$each" -le "$wanted" ] || rm -r "${store}/$each"; done ;;
  *) echo "not called by the job script: $*" >&2; exit 2 ;;
esac
`

describe('an old primary whose data have snapshots', function () {
  this.timeout(300_000)
  let pair: SshPair

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    const settings = {
      'prov-db-tags': 'semisync,row,innodb,noquerycache,readonly,gtidstrict,linux',
      'scheduler-jobs-ssh': true,
      'failover-mode': 'automatic',
      'failover-limit': 0,
    }
    pair = await SshPair.start({ addresses, settings })
    await pair.form()
  })
  after(() => pair?.destroy())

  const hostOf = (address: string): SshRoot => {
    const host = pair.roots.hosts.find((each) => each.address === address)
    if (!host) throw new Error(`no host ${address}`)
    return host
  }
  const serverOf = ({ address }: SshRoot) =>
    `/api/clusters/story/servers/${encodeURIComponent(`${address}:${pair.portOf(address)}`)}`
  const post = async (path: string) => {
    const reply = await pair.manager.post(path)
    expect(reply.status, `${path}: ${reply.body}\n${pair.log()}`).to.equal(200)
  }
  /** The data as they are at one instant: the server is suspended meanwhile. */
  const snapshot = ({ root }: SshRoot) =>
    root.outputOf(
      `kill -STOP $(pidof mariadbd); at=$(date +%s); cp -a /var/lib/mysql ${store}/$at; kill -CONT $(pidof mariadbd); sleep 1.1; echo $at`,
    )

  it('goes back by autorejoin-zfs-flashback to the newest from before it wrote alone, and gets the rest by replication', async () => {
    const old = hostOf(await pair.primary())
    old.root.write(`${store}/called`, '')
    old.root.write('/usr/bin/zfs', zfs, 0o755)
    await pair.ask(old.address, 'CREATE DATABASE story; CREATE TABLE story.kept (id INT PRIMARY KEY)')
    await pair.ask(old.address, 'INSERT INTO story.kept VALUES (1), (2)')
    await snapshot(old)
    const wanted = await snapshot(old)
    await pair.ask(old.address, 'INSERT INTO story.kept VALUES (3)')
    const { gtid } = await pair.ask(old.address, 'SELECT @@gtid_binlog_pos AS gtid')
    const next = await pair.replica()
    const { waited } = await pair.ask(next.address, `SELECT MASTER_GTID_WAIT('${String(gtid)}', 100) AS waited`)
    expect(String(waited), 'the replica has the last row').to.equal('0')
    await old.root.outputOf('kill -KILL $(pidof mariadbd)')
    await pair.eventually(async () => (await pair.primary()) === next.address, 'the role moves')
    await pair.ask(next.address, 'INSERT INTO story.kept VALUES (4)')

    // In maintenance it is left alone: what it writes then, no other server has.
    await post(`${serverOf(old)}/actions/set-maintenance`)
    await post(`${serverOf(old)}/actions/start`)
    await pair.eventually(
      () =>
        pair.ask(old.address, 'SELECT 1').then(
          () => true,
          () => false,
        ),
      'it answers',
    )
    await pair.ask(old.address, 'CREATE TABLE story.alone (id INT PRIMARY KEY)')
    const tooNew = await snapshot(old)
    await post('/api/clusters/story/settings/actions/set/autorejoin-zfs-flashback/true')
    await post(`${serverOf(old)}/actions/del-maintenance`)
    await pair.isWhole()

    const called = old.root.read(`${store}/called`).split('\n')
    expect(called).to.include(`rollback -r tank/mysql@${wanted}`)
    expect(called.filter((line) => line.startsWith('rollback'))).to.have.length(1)
    expect(old.root.exists(`${store}/${tooNew}`)).to.equal(false)
    await pair.ask(next.address, 'INSERT INTO story.kept VALUES (5)')
    await pair.eventually(
      async () => (await pair.ask(old.address, 'SELECT COUNT(*) AS n, MAX(id) AS last FROM story.kept')).n === 5,
      'it has what it wrote with the others, and what was written without it',
    )
    expect(await pair.ask(old.address, "SHOW TABLES IN story LIKE 'alone'")).to.deep.equal({})
    expect(pair.manager.log()).to.include('is brought back by zfs: autorejoin-zfs-flashback is on')
  })

  it('gets the reason why it cannot, where its data are not on ZFS', async () => {
    const replica = await pair.replica()
    const other = hostOf(await pair.primary())
    expect(replica.address).to.not.equal(other.address)
    replica.root.write('/usr/bin/zfs', '#!/bin/sh\nexit 1\n', 0o755)
    const plan = await pair.manager.get<{ ways: { method: string; allowed: boolean; why: string }[] }>(
      `${serverOf(replica)}/way-back?method=zfs`,
    )
    expect(plan.ways.find(({ method }) => method === 'zfs')).to.include({
      allowed: false,
      why: '/var/lib/mysql is not on ZFS',
    })
  })
})
