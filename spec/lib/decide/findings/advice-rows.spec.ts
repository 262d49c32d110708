// Advice on the settings of servers: each piece opens for the server that does not follow it, and for no other.
import { expect } from 'chai'
import type { FindingCode } from '../../../../lib/model/findings.js'
import { named } from '../../../../lib/model/server/named.js'
import { slowReading } from '../../../support/http/view-input.js'
import {
  acknowledgedSource,
  channel,
  gtid,
  primary,
  replica,
  type StateDraft,
  situation,
} from '../../../support/simulator/situation.js'

interface Case {
  readonly state?: StateDraft
  readonly variables?: Readonly<Record<string, string>>
}

const loose = { ...gtid('0-1-100'), strict: false }

const ofReplica: Readonly<Partial<Record<FindingCode, Case>>> = {
  ERR00013: { state: { binlog: false } },
  WARN0050: { state: { channels: [channel({ source: 1, heartbeatPeriodSeconds: 30 })] } },
  WARN0051: { state: { channels: [channel({ source: 1, usesGtid: false })] } },
  WARN0052: { variables: { innodb_flush_log_at_trx_commit: '2' } },
  WARN0053: { variables: { binlog_checksum: 'NONE' } },
  WARN0055: { variables: { binlog_annotate_row_events: 'OFF' } },
  WARN0057: { state: { logReplicaUpdates: false } },
  WARN0058: { state: { gtid: loose } },
  WARN0059: { variables: { relay_log_recovery: 'OFF' } },
}

const ofPrimary: Readonly<Partial<Record<FindingCode, Case>>> = {
  WARN0007: { variables: { sync_binlog: '0' } },
  WARN0064: { variables: { innodb_flush_log_at_trx_commit: '0' } },
  WARN0065: { variables: { binlog_checksum: 'NONE' } },
  WARN0067: { variables: { binlog_annotate_row_events: 'OFF' } },
  WARN0069: { state: { logReplicaUpdates: false } },
  WARN0070: { state: { gtid: loose } },
  WARN0071: { variables: { relay_log_recovery: 'OFF' } },
  WARN0230: { state: { semiSync: { ...acknowledgedSource(), waitPoint: 'after-commit' } } },
  WARN0234: { state: { semiSync: { ...acknowledgedSource(), sourceActive: false } } },
}

const good = {
  ...{ innodb_flush_log_at_trx_commit: '1', sync_binlog: '1', binlog_checksum: 'CRC32' },
  ...{ binlog_annotate_row_events: 'ON', relay_log_recovery: 'ON' },
}

const slow = (id: string, { variables = {} }: Case) => slowReading(id, { variables: named({ ...good, ...variables }) })

const openOf = (ofFirst: Case, ofSecond: Case): readonly string[] =>
  situation([
    primary(1, ofFirst.state, { slow: slow('db1', ofFirst) }),
    replica(2, { ...(ofSecond.state ? { state: ofSecond.state } : {}), server: { slow: slow('db2', ofSecond) } }),
  ]).snapshot.findings.map(({ code, server }) => `${code}@${server}`)

describe('adviceRows', () => {
  const peace = openOf({}, {})

  for (const [code, given] of Object.entries(ofReplica))
    it(`${code} opens for a replica`, () => {
      expect(peace).to.not.include(`${code}@db2`)
      expect(openOf({}, given)).to.include(`${code}@db2`)
    })

  for (const [code, given] of Object.entries(ofPrimary))
    it(`${code} opens for a primary`, () => {
      expect(peace).to.not.include(`${code}@db1`)
      expect(openOf(given, {})).to.include(`${code}@db1`)
    })
})
