// Names without effect: what existing clients and files rely on stays as it was.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { renderConfig } from '../../../../http/api/views/kit/config.js'
import { packageRoot } from '../../../../lib/base/package-root.js'
import {
  changeSetting,
  findRecognised,
  maskSettings,
  recognisedNames,
  viewSettings,
} from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

type Keys = Readonly<Record<string, string>>

/** By scope and JSON type, the keys that `config` had when every name was a setting. */
const recorded: Readonly<Record<'server' | 'cluster', Keys>> = JSON.parse(
  readFileSync(path.join(packageRoot, 'spec/fixture/settings/config-keys.json'), 'utf8'),
)

const recordedTypes = (keys: Keys): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(keys).flatMap(([type, names]) => names.split(' ').map((key) => [key, type])))

const typesOf = (config: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, typeof config[key]]))

describe('config of the API', () => {
  it('keeps every key with its JSON type', async () => {
    const configuration = await ground('[Default]\n[alpha]\n').configuration()
    const shown = {
      server: renderConfig(viewSettings(configuration, ''), 'server'),
      cluster: renderConfig(viewSettings(configuration, 'alpha'), 'cluster'),
    }
    for (const scope of ['server', 'cluster'] as const) {
      const wanted = recordedTypes(recorded[scope])
      expect(typesOf(shown[scope], Object.keys(wanted)), scope).to.deep.equal(wanted)
    }
    const scope = configuration.clusters.get('alpha')
    const wanted = recordedTypes(recorded.cluster)
    expect(scope && typesOf(maskSettings(scope.settings), Object.keys(wanted))).to.deep.equal(wanted)
  })

  it('shows what is true of a name without effect, whatever a file gives', async () => {
    const configuration = await ground(
      '[alpha]\nprov-docker-daemon-private = true\nprov-db-disk-fs = "x"\n',
    ).configuration()
    const config = renderConfig(viewSettings(configuration, 'alpha'), 'cluster')
    expect(config).to.include({ provDockerDaemonPrivate: false, failoverSemisyncState: true })
  })
})

describe('recognised names', () => {
  it('are given in any spelling and case', () => {
    expect(findRecognised('Shardproxy-Servers-Credential')?.name).to.equal('shardproxy-credential')
    expect(findRecognised('multi-master-ring-unsafe')?.name).to.equal('replication-multi-master-ring-unsafe')
    expect(findRecognised('dynamic-topology')?.name).to.equal('replication-dynamic-topology')
    expect(findRecognised('failover-mode')).to.equal(undefined)
    expect(findRecognised('toString')).to.equal(undefined)
  })

  it('have a name of their own and a reason each', () => {
    for (const name of recognisedNames) {
      expect(name).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(findRecognised(name)?.reason, name).to.match(/^\S.*[^.]$/)
    }
  })

  it('are accepted in files, variables and flags, with their place and reason', async () => {
    const place = ground('[Default]\nhttp-auth = "maybe"\n[alpha]\nshardproxy = true\n')
    const loaded = await place.load({
      flags: ['--graphite-embedded', '--shardproxy=yes'],
      environment: { MANAGER_HTTP_USE_REACT: 'on' },
    })
    expect(loaded.ok).to.equal(true)
    expect(loaded.warnings.map(({ problem }) => problem)).to.deep.equal([])
    expect(loaded.recognised.map(({ name, origin }) => [name, origin.line ?? origin.kind])).to.deep.equal([
      ['http-auth', 2],
      ['http-use-react', 'environment'],
      ['graphite-embedded', 'flag'],
      ['shardproxy', 'flag'],
      ['shardproxy', 4],
    ])
    expect(loaded.recognised[0]?.problem).to.match(/^no effect: the manager serves no pages/)
  })

  it('cannot be set', async () => {
    const configuration = await ground('[Default]\n[alpha]\n').configuration()
    const changed = changeSetting(configuration, { scope: 'alpha', name: 'shardproxy', value: true })
    expect(changed).to.deep.include({ ok: false })
    expect(!changed.ok && changed.failure).to.deep.equal({
      code: 'setting-without-effect',
      message: 'shardproxy has no effect here: sharding is not implemented',
    })
  })

  it('are kept in saved files, where a later version may use them', async () => {
    const place = ground('[Default]\n[alpha]\n')
    place.write('data/alpha/alpha.toml', '[saved-alpha]\nshardproxy = true\n')
    const loaded = await place.load()
    expect(loaded.ok && [...(loaded.configuration.clusters.get('alpha')?.leftOut.keys() ?? [])]).to.deep.equal([
      'shardproxy',
    ])
    expect(loaded.warnings).to.deep.equal([])
    expect(loaded.recognised).to.have.length(1)
  })
})
