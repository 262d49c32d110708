// Which MySQL servers can clone which, and the statements after a clone.
import { expect } from 'chai'
import {
  type CloneEnd,
  clonesFrom,
  judgeCloneEnds,
  missingGrants,
  settleStatements,
} from '../../../../lib/dialect/mysql/clone.js'
import { parseVersion } from '../../../../lib/model/server/version.js'

const end = (versionText: string, draft: Partial<CloneEnd> = {}): CloneEnd => ({
  ...{
    version: parseVersion(versionText),
    versionText,
    schemas: 0,
    superReadOnly: true,
    eventScheduler: true,
    plugin: true,
  },
  fixed: {
    innodb_page_size: '16384',
    innodb_data_file_path: 'ibdata1:12M:autoextend',
    character_set_server: 'utf8mb4',
    collation_server: 'utf8mb4_0900_ai_ci',
  },
  grants: ['GRANT BACKUP_ADMIN,CLONE_ADMIN,SYSTEM_VARIABLES_ADMIN ON *.* TO `monitor`@`%`'],
  ...draft,
})

describe('clonesFrom', () => {
  for (const [donor, recipient, does] of [
    ['8.0.15', '8.0.15', false],
    ['8.0.17', '8.0.17', true],
    ['8.0.17', '8.0.18', false],
    ['8.0.36', '8.0.37', false],
    ['8.0.37', '8.0.42', true],
    ['8.0.42', '8.4.0', false],
    ['8.4.0', '8.4.6', true],
    ['9.7.4', '9.7.5', true],
    ['9.6.0', '9.7.0', false],
  ] as const)
    it(`${does ? 'lets' : 'keeps'} ${recipient} ${does ? 'take' : 'from'} a copy of ${donor}`, () => {
      expect(clonesFrom(parseVersion(donor), parseVersion(recipient))).to.equal(does)
    })
})

describe('judgeCloneEnds', () => {
  it('names the versions, or the setting that a copy cannot change', () => {
    expect(judgeCloneEnds(end('9.7.4'), end('9.7.4'))).to.equal(undefined)
    expect(judgeCloneEnds(end('8.4.2'), end('9.7.4'))).to.contain('the donor is MySQL 8.4.2, the server 9.7.4')
    const small = end('9.7.4', { fixed: { ...end('9.7.4').fixed, innodb_page_size: '8192' } })
    expect(judgeCloneEnds(end('9.7.4'), small)).to.match(
      /^innodb_page_size is 16384 on the donor and 8192 on the server/,
    )
  })
})

describe('missingGrants', () => {
  it('names the privileges that an account is missing, by the end where they are required', () => {
    const grants = ['GRANT SELECT, RELOAD ON *.* TO `monitor`@`%`', 'GRANT CLONE_ADMIN ON *.* TO `monitor`@`%`']
    expect(missingGrants('donor', { grants })).to.deep.equal(['BACKUP_ADMIN'])
    expect(missingGrants('recipient', { grants })).to.deep.equal(['SYSTEM_VARIABLES_ADMIN'])
    expect(missingGrants('donor', end('9.7.4'))).to.deep.equal([])
    expect(missingGrants('donor', { grants: ['GRANT ALL PRIVILEGES ON *.* TO `monitor`@`%`'] })).to.deep.equal([])
  })
})

describe('settleStatements', () => {
  const events = [{ s: 'shop', name: 'hourly', definer: 'a@b@%' }]

  it('uses the terms of the version, keeps the definer of an event, and removes leftovers of the clone', () => {
    expect(settleStatements(end('9.7.4'), events)).to.deep.equal([
      ...['STOP REPLICA', 'RESET REPLICA ALL'],
      ...['SET SESSION sql_log_bin = OFF', 'SET GLOBAL super_read_only = OFF'],
      'ALTER DEFINER = `a@b`@`%` EVENT `shop`.`hourly` DISABLE ON REPLICA',
      ...['RESET PERSIST IF EXISTS event_scheduler', 'SET GLOBAL event_scheduler = ON'],
      'SET GLOBAL clone_valid_donor_list = DEFAULT',
      'SET GLOBAL super_read_only = ON',
    ])
    const old = settleStatements(end('8.0.20', { eventScheduler: false, superReadOnly: false }), events)
    expect(old.join(';')).to.match(
      /^STOP SLAVE;RESET SLAVE ALL;.* DISABLE ON SLAVE;SET GLOBAL clone_valid_donor_list = DEFAULT$/,
    )
  })
})
