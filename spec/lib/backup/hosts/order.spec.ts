// Orders for the job script and what it answers, as text.
import { expect } from 'chai'
import { pemOf, renderPayload } from '../../../../lib/backup/hosts/order.js'
import { countedBytes, parseListener, parsePosition, parseSign } from '../../../../lib/backup/hosts/output.js'
import { hostTaskOf } from '../../../../lib/model/operation/host-task.js'

describe('renderPayload', () => {
  it('gives one line of words, the certificate as one of them', () => {
    const certificate = pemOf('QUJD'.repeat(40))
    const payload = renderPayload({ deadlineSeconds: 60, stream: { host: 'm', port: 1, secret: 's3', certificate } })
    expect(payload).to.equal(`deadline=60 secret=s3 certificate=${'QUJD'.repeat(40)}`)
  })

  it('says from before which second a snapshot is meant, and whether it is only asked for', () => {
    expect(renderPayload({ deadlineSeconds: 60, snapshot: { before: 1764000000, only: 'ask' } })).to.equal(
      'deadline=60 before=1764000000 only=ask',
    )
    expect(renderPayload({ deadlineSeconds: 60, snapshot: {} })).to.equal('deadline=60')
  })

  it('says how many lines are sent at once, and whether changes of tables wait', () => {
    const log = { url: 'https://m:10005', cluster: 'shop', server: { host: 'db1', port: 3306 }, token: 't', batch: 12 }
    const stream = { host: 'm', port: 1, secret: 's' }
    expect(renderPayload({ deadlineSeconds: 60, log })).to.contain(' batch=12')
    expect(renderPayload({ deadlineSeconds: 60, stream: { ...stream, lockDdl: true } })).to.contain(' lockddl=on')
    expect(renderPayload({ deadlineSeconds: 60, stream: { ...stream, lockDdl: false } })).to.contain(' lockddl=off')
  })

  it('refuses what would not stay one word', () => {
    for (const secret of ['a b', 'a|b', "a'b", 'a"b', 'a\\b', 'a\nb'])
      expect(() => renderPayload({ deadlineSeconds: 1, stream: { host: 'm', port: 1, secret } })).to.throw(TypeError)
  })
})

describe('parseSign', () => {
  it('knows the signs of the script, and takes every other line for output', () => {
    expect(parseSign('@manager state 1')).to.deep.equal({ state: 1 })
    expect(parseSign('@manager state 2 4444 QUJD')).to.deep.equal({ state: 2, port: 4444, certificate: 'QUJD' })
    expect(parseSign('@manager state 3 120')).to.deep.equal({ state: 3, bytes: 120 })
    expect(parseSign('@manager state 5 ')).to.deep.equal({ state: 5 })
    for (const line of ['', ' @manager state 3 1', '@manager state 4', 'state 3'])
      expect(parseSign(line)).to.equal(undefined)
  })
})

describe('parsePosition', () => {
  it('reads the position of every tool, with and without GTID', () => {
    const mariadb =
      "[00] 2026-11-23 18:10:56 MySQL binlog position: filename 'binlog.000002', position '342', GTID of the last change '0-1-4'"
    expect(parsePosition([mariadb, 'completed OK!'])).to.deep.equal({
      file: 'binlog.000002',
      offset: 342,
      gtid: '0-1-4',
    })
    const plain = "MySQL binlog position: filename 'b.01', position '4'"
    expect(parsePosition([plain])).to.deep.equal({ file: 'b.01', offset: 4, gtid: '' })
    expect(parsePosition(['completed OK!'])).to.equal(undefined)
  })
})

describe('what ends a row', () => {
  it('is its count of bytes and its listener', () => {
    expect(countedBytes(['a', 'bytes: 17', ''])).to.equal(17)
    expect(countedBytes(['a'])).to.equal(undefined)
    expect(parseListener('4444 QUJD\n')).to.deep.equal({ port: 4444, certificate: 'QUJD' })
    expect(parseListener('processing')).to.equal(undefined)
  })
})

describe('hostTaskOf', () => {
  it('knows registered names, the spellings of other scripts, and no other', () => {
    expect(hostTaskOf('mariabackup')).to.equal('mariabackup')
    expect(hostTaskOf('flashbackmariadbackup')).to.equal('flashbackmariabackup')
    expect(hostTaskOf('error')).to.equal('errorlog')
    for (const name of ['', 'constructor', 'MARIABACKUP', 'rm']) expect(hostTaskOf(name)).to.equal(undefined)
  })
})
