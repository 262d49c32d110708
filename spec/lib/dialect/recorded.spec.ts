// The parsers on recorded answers of real servers.
import { expect } from 'chai'
import { dialectFor, parseIdentity, type Rows } from '../../../lib/dialect/index.js'
import { textIn } from '../../../lib/dialect/statement/rows.js'
import { nothingNamed, textOf } from '../../../lib/model/server/named.js'
import type { ServerState } from '../../../lib/model/server/reading.js'
import { type Recording, readRecording, recordings } from '../../support/canned/recordings.js'

const dialectOf = ({ identify }: Recording) => dialectFor(parseIdentity(identify).identity)

function stateOf(recording: Recording, fast: readonly Rows[] = recording.fast): ServerState {
  const dialect = dialectOf(recording)
  const semiSync = dialect.parseSemiSyncStatus(recording.semiSync)
  return dialect.parseFastProbe(fast, { uptimeSeconds: 7, semiSync })
}

for (const recording of recordings())
  describe(`parseFastProbe on ${recording.software}, ${recording.role}`, () => {
    const state = stateOf(recording)
    const isReplica = recording.role === 'replica'

    it('knows the software', () => {
      expect(recording.software).to.contain(state.identity.flavour)
      expect(recording.software).to.contain(String(state.identity.version.major))
      expect(state.identity.reserved?.port).to.be.above(1_000)
    })

    it('knows the server and whether it may be written', () => {
      expect(state).to.include({ serverNumber: isReplica ? 2 : 1, readOnly: isReplica, uptimeSeconds: 7 })
      expect(state).to.include({ binlog: true, logReplicaUpdates: true, superReadOnly: false })
    })

    it('reads three transactions of one stream', () => {
      expect(Object.values(state.gtid.executed)).to.deep.equal([[[1, 3]]])
      expect(Object.values(state.gtid.byOrigin)).to.deep.equal([[[1, 3]]])
      expect(state.gtid).to.include({ enabled: true, strict: true, domain: 0 })
    })

    it('reads semi-synchronous replication of its side', () => {
      expect(state.semiSync).to.include(
        isReplica
          ? { sourceEnabled: false, sourceActive: false, replicaEnabled: true, replicaActive: true, clients: 0 }
          : { sourceEnabled: true, sourceActive: true, replicaEnabled: false, clients: 1, timeoutMs: 10_000 },
      )
      if (!isReplica) expect(state.semiSync.waitPoint).to.equal('after-sync')
    })

    it('reads the channels', () => {
      expect(state.channels).to.have.lengthOf(isReplica ? 1 : 0)
      for (const channel of state.channels) {
        expect(channel).to.deep.include({ name: '', io: 'running', sql: 'running', lagSeconds: 0, usesGtid: true })
        expect(channel).to.include({ heartbeatPeriodSeconds: 0.5, delaySeconds: 0, readFile: 'bin.000001' })
        expect(channel.source).to.include({ host: '127.0.0.1', serverNumber: 1, user: 'repl' })
        expect(channel.received).to.deep.equal(state.gtid.executed)
        expect(channel.applied).to.deep.equal(state.gtid.executed)
        expect(channel.receivedMark).to.contain('bin.000001:')
        expect([channel.ioError, channel.sqlError]).to.deep.equal(Array(2).fill({ code: 0, message: '' }))
      }
    })
  })

for (const recording of recordings().filter(({ role }) => role === 'primary'))
  describe(`parseSlowProbe on ${recording.software}`, () => {
    const dialect = dialectOf(recording)

    it('reads every part', () => {
      const reading = dialect.parseSlowProbe(recording.slow)
      expect(reading.variables.names.length).to.be.above(500)
      expect(['server_id', 'log_bin'].map((name) => textOf(reading.variables, name))).to.deep.equal(['1', 'ON'])
      expect(reading.status.names.length).to.be.above(200)
      expect(textOf(reading.status, 'threads_connected')).to.match(/^\d+$/)
      expect(reading.plugins.find(({ name }) => name === 'InnoDB')).to.include({ status: 'ACTIVE' })
      expect(reading).to.include({ binlogFile: 'bin.000001', dumpThreads: 1 })
      expect(reading.grants?.replication).to.deep.equal({
        account: "'repl'@'127.0.0.1'",
        names: ['REPLICATION SLAVE'],
      })
    })

    it('keeps the newest five hundred files of the binary log by name, and reports the oldest and their number', () => {
      const binlogs = Array.from({ length: 700 }, (_, index) => ({ Log_name: `bin.${index + 1}`, File_size: 1024 }))
      const { count, oldest, files } = dialect.parseSlowProbe({ binlogs }).binlogs
      expect([count, oldest, files.length, files[0], files.at(-1)]).to.deep.equal([
        ...[700, 'bin.1', 500],
        ['bin.201', 1024],
        ['bin.700', 1024],
      ])
    })

    it('is empty where nothing could be read', () => {
      expect(dialect.parseSlowProbe({})).to.deep.equal({
        variables: nothingNamed,
        status: nothingNamed,
        plugins: [],
        binlogFile: '',
        binlogPosition: 0,
        binlogDoDb: '',
        binlogIgnoreDb: '',
        binlogs: { count: 0, oldest: '', files: [] },
        dumpThreads: 0,
        statementHistory: false,
      })
    })
  })

describe('parseFastProbe on variations', () => {
  const mariadb = readRecording('mariadb-10.11', 'replica')
  const mysql = readRecording('mysql-9', 'replica')
  const channelWith = (recording: Recording, change: Record<string, unknown>) => {
    const [variables = [], channels = [], ...rest] = recording.fast
    const [channel] = stateOf(recording, [variables, channels.map((row) => ({ ...row, ...change })), ...rest]).channels
    if (!channel) throw new Error('no channel')
    return channel
  }
  const variablesWith = (recording: Recording, change: Record<string, unknown>) => {
    const [variables = [], ...rest] = recording.fast
    return stateOf(recording, [variables.map((row) => ({ ...row, ...change })), ...rest])
  }

  it('takes a NULL lag as unknown', () => {
    expect(channelWith(mariadb, { Seconds_Behind_Master: null })).to.not.have.property('lagSeconds')
    expect(channelWith(mysql, { Seconds_Behind_Source: null })).to.not.have.property('lagSeconds')
  })

  it('takes a thread that connects or prepares as connecting', () => {
    for (const word of ['Connecting', 'Preparing'])
      expect(channelWith(mariadb, { Slave_IO_Running: word }).io).to.equal('connecting')
    expect(channelWith(mysql, { Replica_IO_Running: 'Connecting' }).io).to.equal('connecting')
    expect(channelWith(mysql, { Replica_IO_Running: 'No' }).io).to.equal('stopped')
  })

  it('counts what was received beyond what was applied', () => {
    expect(channelWith(mariadb, { Gtid_IO_Pos: '0-1-90,7-1-4' }).received).to.deep.equal({ 0: [[1, 90]], 7: [[1, 4]] })
    const uuid = 'aaaaaaaa-1111-2222-3333-bbbbbbbbbbbb'
    expect(channelWith(mysql, { Retrieved_Gtid_Set: `${uuid}:1-5` }).received).to.have.deep.property(uuid, [[1, 5]])
  })

  it('reads what MySQL is committing, without the threads that do', () => {
    const uuid = 'aaaaaaaa-1111-2222-3333-bbbbbbbbbbbb'
    const { gtid } = variablesWith(mysql, { owned: `${uuid}:8#32:7#31` })
    expect(gtid.committing).to.deep.equal({ [uuid]: [[7, 8]] })
    expect(variablesWith(mysql, { owned: '' }).gtid).to.not.have.property('committing')
  })

  it('trusts no received position of a channel without GTID', () => {
    const channel = channelWith(mariadb, { Using_Gtid: 'No', Gtid_IO_Pos: '0-1-90' })
    expect(channel).to.deep.include({ usesGtid: false, received: { 0: [[1, 3]] } })
    expect(channelWith(mysql, { Auto_Position: 0 }).usesGtid).to.equal(false)
  })

  it('counts local writes of a MariaDB server as applied only when it uses current_pos', () => {
    const [variables = [], channels = []] = mariadb.fast
    const own = variables.map((row) => ({ ...row, binlog_pos: '0-2-9' }))
    const applied = (using: string) =>
      stateOf(mariadb, [own, channels.map((row) => ({ ...row, Using_Gtid: using }))]).channels[0]?.applied
    expect(applied('Slave_Pos')).to.deep.equal({ 0: [[1, 3]] })
    expect(applied('Current_Pos')).to.deep.equal({ 0: [[1, 9]] })
  })

  it('counts what was replicated without being logged as executed', () => {
    const state = variablesWith(mariadb, { binlog_pos: '5-2-1', slave_pos: '0-1-70', log_updates: 0 })
    expect(state.gtid.executed).to.deep.equal({ 0: [[1, 70]], 5: [[1, 1]] })
    expect(state.gtid.text.executed).to.equal('5-2-1,0-1-70')
    expect(state.logReplicaUpdates).to.equal(false)
  })

  it('keeps the furthest position of each domain', () => {
    const { gtid } = variablesWith(mariadb, { binlog_pos: '0-2-80', slave_pos: '0-1-70' })
    expect(gtid.text.executed).to.equal('0-2-80')
  })

  it('distinguishes origins', () => {
    const { gtid } = variablesWith(mariadb, { binlog_state: '0-1-100,0-2-150' })
    expect(gtid.byOrigin).to.deep.equal({ '0-1': [[1, 100]], '0-2': [[1, 150]] })
  })

  it('reads words and numbers for on and off', () => {
    for (const on of [1, '1', 'ON', 'YES', 'NO_LOCK'])
      expect(variablesWith(mariadb, { read_only: on }).readOnly, String(on)).to.equal(true)
    for (const off of [0, '0', 'OFF', null])
      expect(variablesWith(mariadb, { read_only: off }).readOnly, String(off)).to.equal(false)
  })

  it('reads MySQL sets over several lines, and GTID switched off', () => {
    const state = variablesWith(mysql, { executed: 'aa:1-3,\nbb:1-2:5', gtid_mode: 'OFF_PERMISSIVE' })
    expect(state.gtid.executed).to.deep.equal({
      aa: [[1, 3]],
      bb: [
        [1, 2],
        [5, 5],
      ],
    })
    expect(state.gtid.text.executed).to.equal('aa:1-3,bb:1-2:5')
    expect(state.gtid.enabled).to.equal(false)
  })

  it('keeps the heartbeats of channels apart', () => {
    const [variables = [], [row = {}] = []] = mysql.fast
    const channels = ['', 'east'].map((name) => ({ ...row, Channel_Name: name }))
    const beats = [
      { channel: 'east', heartbeats: 9, period: 2 },
      { channel: '', heartbeats: 3, period: 1 },
    ]
    expect(stateOf(mysql, [variables, channels, beats]).channels.map(({ heartbeats }) => heartbeats)).to.deep.equal([
      3, 9,
    ])
  })

  it('reads the column names of MySQL before 8.0.22', () => {
    const [variables = [], channels = [], heartbeats = []] = mysql.fast
    const old = channels.map((row) =>
      Object.fromEntries(
        Object.keys(row).map((name) => [
          name.replace('Source', 'Master').replace('Replica', 'Slave'),
          textIn(row, name),
        ]),
      ),
    )
    expect(Object.keys(old[0] ?? {})).to.include.members(['Master_Host', 'Slave_IO_Running', 'Seconds_Behind_Master'])
    expect(stateOf(mysql, [variables, old, heartbeats])).to.deep.equal(stateOf(mysql))
  })

  it('refuses an answer without variables', () => {
    expect(() => stateOf(mariadb, [])).to.throw('without variables')
    expect(() => stateOf(mysql, [])).to.throw('without variables')
  })
})
