import { expect } from 'chai'
import { parseServersState, parseStat, serverOf } from '../../../../lib/proxy/haproxy/tables.js'

describe('parseStat', () => {
  it('reads fields by their names, quoted ones included', () => {
    const text = 'Version: 2\n\n# pxname,svname,status,last_chk,addr,\nw,leader,UP,"a, ""b""",10.0.0.1:3306,\n\nrest\n'
    expect(parseStat(text)).to.deep.equal([
      { pxname: 'w', svname: 'leader', status: 'UP', last_chk: 'a, "b"', addr: '10.0.0.1:3306', '': '' },
    ])
  })

  it('answers nothing for something else', () => {
    expect(parseStat('Permission denied\n')).to.deep.equal([])
  })
})

describe('parseServersState', () => {
  const row = (admin: number) =>
    parseServersState(
      `1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_port\n4 w 1 leader 10.0.0.1 0 ${admin} 3306\n\n`,
    ).map(serverOf)

  for (const [admin, adminState] of [
    [0x00, 'ready'],
    [0x04, 'ready'],
    [0x01, 'maint'],
    [0x05, 'maint'],
    [0x20, 'maint'],
    [0x08, 'drain'],
    [0x10, 'drain'],
  ] as const)
    it(`reads administrative state ${admin} as ${adminState}`, () => {
      expect(row(admin)).to.deep.equal([{ backend: 'w', name: 'leader', host: '10.0.0.1', port: 3306, adminState }])
    })
})
