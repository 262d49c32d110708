// Which changes of variables no rule makes on a running server; and that no enforced setting is one of them.
import { expect } from 'chai'
import { protectedClass } from '../../../../lib/configure/index.js'
import { type EnforcedSetting, enforcedVariable } from '../../../../lib/dialect/index.js'

describe('protectedClass', () => {
  for (const [name, from, to, expected] of [
    ['server_id', '11', '3011', 'identity'],
    ['gtid_domain_id', '0', '1', 'identity'],
    ['report_host', 'db1', 'db1.lan', 'identity'],
    ['innodb_flush_log_at_trx_commit', '2', '0', 'durability'],
    ['innodb_flush_log_at_trx_commit', '1', '2', 'durability'],
    ['innodb_flush_log_at_trx_commit', '0', '1', undefined],
    ['innodb_flush_log_at_trx_commit', '1', '3', undefined],
    ['sync_binlog', '1', '0', 'durability'],
    ['sync_binlog', '1', '1000', 'durability'],
    ['sync_binlog', '0', '1', undefined],
    ['sync_binlog', '1000', '1', undefined],
    ['rpl_semi_sync_slave_enabled', 'ON', 'OFF', 'durability'],
    ['rpl_semi_sync_slave_enabled', 'OFF', 'ON', undefined],
    ['rpl_semi_sync_master_wait_point', 'AFTER_SYNC', 'AFTER_COMMIT', 'durability'],
    ['sql_mode', 'ANSI_QUOTES', '', 'sql-mode'],
    ['character_set_server', 'latin1', 'utf8mb4', 'character-set'],
    ['collation_server', 'utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'character-set'],
    ['tmp_table_size', '16777216', '320K', 'memory'],
    ['tmp_table_size', '16777216', '32M', undefined],
    ['innodb_buffer_pool_size', '8G', '128M', 'memory'],
    ['sort_buffer_size', '2M', 'DEFAULT', 'memory'],
    ['max_connections', '500', '100', undefined],
    ['long_query_time', '10', '2', undefined],
  ] as const)
    it(`${expected === undefined ? 'lets' : 'does not let'} a rule set ${name} from ${from} to ${to}`, () => {
      expect(protectedClass(name, from, to)).to.equal(expected)
    })

  it('covers no value that a setting force-… sets', () => {
    const settings: readonly EnforcedSetting[] = [
      ...(['sync-binlog', 'sync-innodb', 'row-events', 'annotated-events', 'compressed-binlog'] as const),
      ...(['logged-slow-applier', 'binlog-checksums', 'strict-gtid', 'strict-applier', 'idempotent-applier'] as const),
    ]
    const running = ['0', '1', '2', '3', '1000', 'ON', 'OFF', 'NONE', 'CRC32', 'ROW', 'MIXED', 'STRICT']
    const wrong = (['mariadb', 'mysql'] as const).flatMap((flavour) =>
      settings.flatMap((setting) => {
        const identity = { flavour, version: { major: 8, minor: 0, patch: 30 }, versionText: '8.0.30' }
        const variable = enforcedVariable(identity, setting)
        return (variable?.names ?? []).flatMap((name) =>
          running
            .filter((from) => plausible(name, from) && protectedClass(name, from, variable?.value ?? '') !== undefined)
            .map((from) => `${name} ${from} -> ${variable?.value}`),
        )
      }),
    )
    expect(wrong).to.deep.equal([])
  })
})

/** Values that the variable can have at all. */
function plausible(name: string, value: string): boolean {
  if (name === 'sync_binlog') return /^\d+$/.test(value)
  if (name === 'innodb_flush_log_at_trx_commit') return /^[0-3]$/.test(value)
  return name !== 'binlog_checksum' || /^(NONE|CRC32)$/.test(value)
}
