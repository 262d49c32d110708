import { expect } from 'chai'
import { listensOn } from '../../../../../lib/orchestrator/local/process/haproxy-ports.js'

describe('listensOn', () => {
  it('finds every address and port of TCP, and no socket of the file system', () => {
    const configuration = [
      'global',
      '  stats socket /run/haproxy.sock mode 600 level admin',
      '  stats socket ipv4@127.0.0.1:1999 level admin',
      '  stats socket ipv6@::1:1998 level admin',
      'frontend write',
      '  bind *:3306,[2001:db8::1]:3307 name both',
      '  bind :3308',
      '  bind unix@/run/write.sock,abns@write',
      '  # bind 127.0.0.1:1',
      'backend read',
      '  server db1 127.0.0.1:3309',
    ].join('\n')
    expect(listensOn(configuration).map(({ host, port }) => `${host} ${port}`)).to.deep.equal([
      ...['127.0.0.1 1999', '::1 1998', '0.0.0.0 3306', '2001:db8::1 3307', '0.0.0.0 3308'],
    ])
  })
})
