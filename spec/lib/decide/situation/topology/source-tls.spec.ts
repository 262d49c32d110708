// How replicas connect to their source is remembered for a server that was the primary: of what they show, as both flavours name it.
import { expect } from 'chai'
import { rememberSourceTls } from '../../../../../lib/decide/situation/topology/source-tls.js'
import { fileOptions, tlsIn } from '../../../../../lib/dialect/shared/probe/source-files.js'
import { freshMemory } from '../../../../../lib/model/memory.js'
import type { Channel, SourceFiles } from '../../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { primary, replica, situation } from '../../../../support/simulator/situation.js'

const files: SourceFiles = { ca: '/ca.pem', cert: '/cert.pem', key: '/key.pem', verify: true }

/** Replicas whose channels show this. */
function replicas(...shown: readonly { tls?: true; tlsFiles?: SourceFiles; io?: Channel['io'] }[]) {
  const { servers } = situation([primary(), ...shown.map((_, index) => replica(index + 2))]).snapshot
  return servers.map((server, index): ServerSnapshot => {
    const { io = 'running', ...tls } = shown[index - 1] ?? {}
    const { state } = server
    if (index === 0 || !state) return server
    return {
      ...server,
      state: {
        ...state,
        channels: state.channels.map((channel) => ({ ...channel, io, source: { ...channel.source, ...tls } })),
      },
    }
  })
}

describe('rememberSourceTls', () => {
  it('takes what a receiving replica shows, one with a certificate first', () => {
    const seen = rememberSourceTls(freshMemory, replicas({ tls: true }, { tls: true, tlsFiles: files }))
    expect(seen).to.deep.equal({ sourceTls: { used: true, files } })
    expect(rememberSourceTls(freshMemory, replicas({ tls: true }))).to.deep.equal({ sourceTls: { used: true } })
  })

  it('keeps what it has while no replica receives, and says nothing new of the same', () => {
    const memory = { ...freshMemory, sourceTls: { used: true, files } }
    expect(rememberSourceTls(memory, replicas({ io: 'stopped' }))).to.deep.equal({})
    expect(rememberSourceTls(memory, replicas())).to.deep.equal({})
    expect(rememberSourceTls(memory, replicas({ tls: true, tlsFiles: files }))).to.deep.equal({})
  })

  it('forgets TLS where replicas receive without it', () => {
    const memory = { ...freshMemory, sourceTls: { used: true, files } }
    expect(rememberSourceTls(memory, replicas({}))).to.deep.equal({ sourceTls: { used: false } })
    expect(rememberSourceTls(freshMemory, replicas({}))).to.deep.equal({})
  })
})

describe('tlsIn', () => {
  const row = (prefix: string, allowed: string) => ({
    [`${prefix}SSL_Allowed`]: allowed,
    ...{ [`${prefix}SSL_CA_File`]: '/ca.pem', [`${prefix}SSL_Cert`]: '/cert.pem', [`${prefix}SSL_Key`]: '/key.pem' },
    ...{ [`${prefix}SSL_Crl`]: '', [`${prefix}SSL_Verify_Server_Cert`]: 'Yes' },
  })
  for (const prefix of ['Master_', 'Source_'] as const)
    it(`reads the files of a connection with TLS: ${prefix}`, () => {
      expect(tlsIn(row(prefix, 'Yes'), prefix)).to.deep.equal({ tls: true, tlsFiles: files })
      expect(tlsIn(row(prefix, 'No'), prefix)).to.deep.equal({})
      expect(tlsIn({ [`${prefix}SSL_Allowed`]: 'Yes' }, prefix)).to.deep.equal({ tls: true })
    })
})

describe('fileOptions', () => {
  it('names the options of a change of the source', () => {
    expect(fileOptions(files)).to.deep.equal([
      ...[
        ['SSL_CA', '/ca.pem'],
        ['SSL_CERT', '/cert.pem'],
        ['SSL_KEY', '/key.pem'],
      ],
      ['SSL_VERIFY_SERVER_CERT', 1],
    ])
    expect(fileOptions()).to.deep.equal([])
  })
})
