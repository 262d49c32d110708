// `manager doctor` on a sound and on a broken ground: each problem has a remedy, nothing is changed.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { runDoctor } from '../../../bin/doctor/doctor.js'
import { renderVerdicts, type Verdict } from '../../../bin/doctor/verdict.js'
import { prepareFormat } from '../../../lib/store/index.js'
import { newDirectory } from '../../support/machine/directories.js'
import { freePorts } from '../../support/machine/ports.js'

async function ground(further = '') {
  const place = newDirectory('doctor')
  const data = path.join(place, 'data')
  mkdirSync(data, { mode: 0o750 })
  await prepareFormat(data)
  const key = path.join(place, 'key')
  writeFileSync(key, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  const [api = 0, http = 0] = await freePorts(2)
  const file = path.join(place, 'config.toml')
  const lines = [
    '[Default]',
    `monitoring-datadir = ${JSON.stringify(data)}`,
    `monitoring-key-path = ${JSON.stringify(key)}`,
    `api-port = ${api}`,
    'api-bind = "127.0.0.1"',
    `http-port = ${http}`,
    further,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return { place, data, key, api, file }
}

const verdictsOf = async (file: string) => {
  const { status, text } = await runDoctor({ file, flags: ['--output', 'json'] })
  const verdicts = JSON.parse(text) as readonly Verdict[]
  const of = (check: string) => verdicts.filter((verdict) => verdict.check === check)
  return { status, verdicts, of }
}

describe('runDoctor', () => {
  it('finds nothing on a sound machine, and leaves nothing behind', async () => {
    const { data, file } = await ground()
    const { status, verdicts } = await verdictsOf(file)
    expect(verdicts.filter(({ state }) => state === 'problem')).to.deep.equal([])
    expect(status).to.equal(0)
    expect(verdicts.map(({ check }) => check)).to.include.members([
      'directory',
      'format',
      'key',
      'disk',
      'limits',
      'time',
      'ports',
    ])
    expect(readdirSync(data)).to.deep.equal(['format.json'])
  })

  it('names a port in use, a key that others may read, a newer format, a directory for all, and what to do about each', async () => {
    const { data, key, api, file } = await ground()
    chmodSync(key, 0o644)
    chmodSync(data, 0o755)
    writeFileSync(path.join(data, 'format.json'), '{"format":9,"version":"3.0.0"}')
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(api, '127.0.0.1', resolve))
    // An unreadable key is an error of the configuration as well: nothing else is checked then.
    expect((await verdictsOf(file)).status).to.equal(2)
    chmodSync(key, 0o600)
    const { status, verdicts, of } = await verdictsOf(file)
    taken.close()
    expect(status).to.equal(1)
    expect(of('ports')[0]).to.deep.include({ state: 'problem', fact: 'another program listens there' })
    expect(of('format')[0]?.fact).to.contain('format 9, written by manager 3.0.0')
    expect(of('directory').map(({ state }) => state)).to.deep.equal(['ok', 'warning'])
    for (const { state, remedy } of verdicts) if (state === 'problem') expect(remedy).to.be.a('string')
  })

  it('distinguishes a server that refuses from one that has no address, by cluster', async () => {
    const [closed = 0] = await freePorts(1)
    const { file } = await ground(
      `[shop]\ndb-servers-hosts = "127.0.0.1:${closed}"\ndb-servers-credential = "manager:x"\n`,
    )
    const { status, of } = await verdictsOf(file)
    expect(status).to.equal(1)
    expect(of('server')[0]).to.deep.include({ subject: `[shop] 127.0.0.1:${closed}`, state: 'problem' })
    expect(of('server')[0]?.remedy).to.contain('Start the server')
  })

  it('checks the certificates of the listener', async () => {
    const place = newDirectory('tls')
    const [cert, key] = [path.join(place, 'cert.pem'), path.join(place, 'key.pem')]
    writeFileSync(cert, 'no certificate')
    writeFileSync(key, 'no key')
    const { file } = await ground(
      `monitoring-ssl-cert = ${JSON.stringify(cert)}\nmonitoring-ssl-key = ${JSON.stringify(key)}`,
    )
    const { of } = await verdictsOf(file)
    expect(of('tls')[0]).to.deep.include({ subject: cert, state: 'problem' })
  })

  it('ends with 2 for a configuration with errors', async () => {
    const { file } = await ground()
    writeFileSync(file, `${readFileSync(file, 'utf8')}log-level = 99\n`)
    const { status, of } = await verdictsOf(file)
    expect(status).to.equal(2)
    expect(of('configuration')[0]?.fact).to.contain('log-level')
    expect((await runDoctor({ file, flags: ['--output=xml'] })).status).to.equal(2)
  })
})

describe('renderVerdicts', () => {
  it('prints a line each, the remedy below, and the sums', () => {
    expect(
      renderVerdicts([
        { check: 'disk', subject: '/var/lib/manager', state: 'ok', fact: '2048 MiB free' },
        {
          check: 'ports',
          subject: '0.0.0.0:1',
          state: 'problem',
          fact: 'another program listens there',
          remedy: 'End it.',
        },
      ]),
    ).to.equal(
      'ok       disk /var/lib/manager: 2048 MiB free\nPROBLEM  ports 0.0.0.0:1: another program listens there\n         End it.\n1 ok, 0 warnings, 1 problem\n',
    )
  })
})
