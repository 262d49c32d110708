import { expect } from 'chai'
import { directoriesOf, usedPercent, volumesOf } from '../../../../lib/decide/watching/volumes.js'
import { named } from '../../../../lib/model/server/named.js'
import type { FileSystem } from '../../../../lib/model/server/watched.js'

const variables = named({
  datadir: '/var/lib/mysql/',
  innodb_log_group_home_dir: './',
  log_bin_basename: '/logs/binlog',
  relay_log_basename: '/logs/relay',
  tmpdir: '/tmp',
})
const fileSystem = (path: string, used = 1): FileSystem => ({
  ...{ path, totalBytes: 120, usedBytes: used, availableBytes: 100 - used },
})

describe('volumesOf', () => {
  it('names each directory once, by what is in it', () => {
    expect(directoriesOf(variables)).to.deep.equal([
      { kind: 'data', directory: '/var/lib/mysql' },
      { kind: 'log', directory: '/logs' },
      { kind: 'temporary', directory: '/tmp' },
    ])
  })

  it('takes the mounted file system that is nearest to a directory, and none where none is listed', () => {
    const listed = ['/', '/var/lib', '/var/lib/my', '/logs'].map((path) => fileSystem(path))
    expect(volumesOf(variables, listed).map(({ fileSystem: { path } }) => path)).to.deep.equal([
      '/var/lib',
      '/logs',
      '/',
    ])
    expect(volumesOf(variables, [fileSystem('/logs')]).map(({ kind }) => kind)).to.deep.equal(['log'])
  })

  it('counts what is reserved as used, as df does', () => {
    expect(usedPercent(fileSystem('/', 93))).to.equal(93)
    expect(usedPercent({ path: '/', totalBytes: 0, usedBytes: 0, availableBytes: 0 })).to.equal(0)
  })
})
