// The position of a MariaDB server whose server_id was changed.
import { expect } from 'chai'
import { hiddenPosition } from '../../../../../lib/decide/situation/history/own-position.js'
import { parsePosition } from '../../../../../lib/model/server/gtid.js'
import { stateOf } from '../../../../support/simulator/situation.js'

describe('hiddenPosition', () => {
  const at = (binlog: string, current: string) => {
    const state = stateOf(1, {})
    const text = { ...state.gtid.text, binlog, current, executed: binlog }
    return hiddenPosition({ identity: state.identity, gtid: { ...state.gtid, executed: parsePosition(binlog), text } })
  }
  it('is none on a server that kept its server_id', () => {
    expect(at('0-1-260', '0-1-260')).to.equal(undefined)
  })
  it('is its binary log where that was written under another server_id', () => {
    expect(at('0-1-260', '')).to.equal('0-1-260')
    expect(at('0-1-260,1-5-3', '0-9-100,1-5-3')).to.equal('0-1-260,1-5-3')
  })
})
