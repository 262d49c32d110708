import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { reveal, secret } from '../../../../lib/base/secret.js'
import { effectiveValue } from '../../../../lib/settings/configuration/configuration.js'
import {
  type Configuration,
  encryptSecret,
  generateKeyFile,
  type Loaded,
  loadConfiguration,
  readKeyFile,
  renderFault,
  type SettingName,
  scopeOf,
  settingNames,
} from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const faultsOf = (loaded: Loaded): readonly string[] =>
  loaded.ok ? [] : loaded.faults.map((fault) => renderFault(fault).replace(/^\/\S*\//, ''))

const warningsOf = (loaded: Loaded): readonly string[] =>
  loaded.warnings.map((fault) => renderFault(fault).replace(/^\/\S*\//, ''))

const originOf = (configuration: Configuration, cluster: string, name: SettingName) =>
  effectiveValue(configuration.server, scopeOf(configuration, cluster) ?? configuration.server, name)

const minimal = '[Default]\n[alpha]\ndb-servers-hosts = "db1,db2"\n'

describe('loadConfiguration', () => {
  it('gives a cluster the defaults, [Default] and its own section', async () => {
    const { configuration } = ground(
      '[DEFAULT]\nfailover-limit = 3\n[alpha]\nmonitoring-ticker = "4"\n[beta]\nfailover-limit = 7\n',
    )
    const { clusters } = await configuration()
    const [alpha, beta] = [clusters.get('alpha'), clusters.get('beta')]
    expect([...clusters.keys()]).to.deep.equal(['alpha', 'beta'])
    expect([alpha?.settings['failover-limit'], alpha?.settings['monitoring-ticker']]).to.deep.equal([3, 4])
    expect([beta?.settings['failover-limit'], beta?.settings['monitoring-ticker']]).to.deep.equal([7, 2])
  })

  it('takes [Default] with hosts alone as one cluster', async () => {
    const { configuration } = ground('[Default]\ndb-servers-hosts = "db1"\n')
    expect([...(await configuration()).clusters.keys()]).to.deep.equal(['default'])
  })

  it('allows a cluster without servers, which are added later', async () => {
    expect((await ground('[Default]\n[alpha]\n').load()).ok).to.equal(true)
  })

  it('reads old names and names in capitals', async () => {
    const { clusters } = await ground(
      '[Default]\n[alpha]\ninteractive = false\nPROV-DB-CPU-CORES = 4\n',
    ).configuration()
    const settings = clusters.get('alpha')?.settings
    expect([settings?.['failover-mode'], settings?.['prov-db-cores']]).to.deep.equal(['automatic', 4])
  })

  it('needs no file when flags and environment give everything', async () => {
    const loaded = await loadConfiguration({ flags: ['--db-servers-hosts=db1', '--monitoring-datadir=/nonexistent'] })
    expect(loaded.ok && [...loaded.configuration.clusters.keys()]).to.deep.equal(['default'])
  })

  describe('precedence', () => {
    const saved = '[saved-alpha]\nfailover-limit = 5\nfailover-time-limit = 50\n'
    const file = '[Default]\nfailover-limit = 1\n[alpha]\nfailover-limit = 2\n'
    const environment = { MANAGER_FAILOVER_LIMIT: '3' }
    const flags = ['--failover-limit=4']

    for (const [title, text, options, value, kind] of [
      ['built-in', '[Default]\n[alpha]\n', {}, 5, 'default'],
      ['[Default] over built-in', '[Default]\nfailover-limit = 1\n[alpha]\n', {}, 1, 'file'],
      ['a cluster’s section over [Default]', file, {}, 2, 'file'],
      ['environment over files', file, { environment }, 3, 'environment'],
      ['a flag over the environment', file, { environment, flags }, 4, 'flag'],
    ] as const)
      it(`is ${title}`, async () => {
        const { configuration } = ground(text)
        const effective = originOf(await configuration(options), 'alpha', 'failover-limit')
        expect([effective.value, effective.origin.kind]).to.deep.equal([value, kind])
        expect(effective.immutable).to.equal(kind !== 'default')
      })

    it('is a saved value only where nothing else gives one, and the difference is reported', async () => {
      const place = ground(file)
      place.write('data/alpha/alpha.toml', saved)
      const loaded = await place.load()
      const configuration = await place.configuration()
      expect(originOf(configuration, 'alpha', 'failover-limit')).to.deep.include({ value: 2, immutable: true })
      expect(originOf(configuration, 'alpha', 'failover-time-limit')).to.deep.include({ value: 50, immutable: false })
      expect(warningsOf(loaded)).to.deep.equal([
        'alpha.toml:2: [alpha] failover-limit = 5: saved value not applied: 2 of FILE:4 holds'.replace(
          'FILE',
          path.join(place.directory, 'config.toml'),
        ),
      ])
    })

    it('names file and line of a value', async () => {
      const place = ground(file)
      expect(originOf(await place.configuration(), 'alpha', 'failover-limit').origin).to.deep.equal({
        kind: 'file',
        file: path.join(place.directory, 'config.toml'),
        line: 4,
      })
    })
  })

  describe('include', () => {
    it('merges every *.toml in the order of their names', async () => {
      const place = ground('[Default]\ninclude = "cluster.d"\n')
      place.write('cluster.d/20.toml', '[beta]\nfailover-limit = 2\n')
      place.write('cluster.d/10.toml', '[alpha]\nfailover-limit = 1\n[beta]\nfailover-limit = 1\n')
      place.write('cluster.d/30.txt', 'not read')
      const loaded = await place.load()
      const { clusters } = await place.configuration()
      expect([...clusters].map(([name, { settings }]) => [name, settings['failover-limit']])).to.deep.equal([
        ['alpha', 1],
        ['beta', 2],
      ])
      expect(warningsOf(loaded).join()).to.match(/20.toml:2: \[beta\] failover-limit = 2: given twice/)
    })

    it('reports faults of every file', async () => {
      const place = ground('[Default]\ninclude = "cluster.d"\nlog-level = 9\n')
      place.write('cluster.d/10.toml', '[alpha]\nlog-level = 9\n')
      expect(faultsOf(await place.load())).to.deep.equal([
        '10.toml:2: [alpha] log-level = 9: allowed: a whole number from 0 to 4',
        'config.toml:3: [Default] log-level = 9: allowed: a whole number from 0 to 4',
      ])
    })

    it('warns of a directory that is missing', async () => {
      const place = ground('[Default]\ninclude = "none"\n')
      const problem = `${path.join(place.directory, 'none')}: no such file or directory`
      const text = `config.toml:2: [Default] include = "none": ${problem}`
      const loaded = await place.load()
      expect([
        loaded.ok,
        loaded.warnings.map(renderFault).map((one) => one.replace(`${place.directory}/config`, 'config')),
      ]).to.deep.equal([true, [text]])
      expect((await place.load({ flags: ['--strict'] })).ok).to.equal(false)
    })
  })

  describe('faults', () => {
    it('are reported all at once, each with line, value, what is allowed and the nearest name', async () => {
      const place = ground(`stray = 1
[Default]
api-port = "10005x"
db-servers-credental = "root:hidden"
db-servers-credential = root:hidden
[alpha]
db-servers-hosts = "a:3306,b:99999"
failovr-mode = "automatic"
failover-mode = "sometimes"
broken = [1,
[set tings]
[settings]
[beta]
db-servers-hosts = "h1,H1:3306"
[gamma]
db-servers-hosts = "h1"
db-servers-tls-client-cert = "x.pem"
`)
      const faults = faultsOf(
        await place.load({ flags: ['--log-lvl=3', '--strict'], environment: { MANAGER_LOG_LEVEL: 'x' } }),
      )
      expect(faults).to.deep.equal([
        'environment MANAGER_LOG_LEVEL: log-level = "x": allowed: a whole number from 0 to 4',
        'flag: log-lvl = "3": unknown setting; did you mean log-level?',
        'config.toml:1: stray = 1: outside of a section; put it below [Default] or [<cluster>]',
        'config.toml:3: [Default] api-port = "10005x": allowed: a whole number from 0 to 65535',
        'config.toml:4: [Default] db-servers-credental = *:*: unknown setting; did you mean db-servers-credential?',
        'config.toml:5: db-servers-credential = *:*: not readable as TOML: invalid value; put text in quotes',
        'config.toml:7: [alpha] db-servers-hosts = "a:3306,b:99999": b:99999 is not a host; allowed: host or host:port (IPv6 as [address]:port), comma-separated',
        'config.toml:8: [alpha] failovr-mode = "automatic": unknown setting; did you mean failover-mode?',
        'config.toml:9: [alpha] failover-mode = "sometimes": allowed: manual, automatic',
        'config.toml:10: broken = "[1,": not readable as TOML: invalid value',
        'config.toml:11: not readable as TOML: illegal character in key; its section is not read',
        'config.toml:12: [settings]: no name for a cluster; allowed: letters, digits, dot, dash and underscore, a letter or digit first, at most 64; no name of a device or of a file of the manager',
        'config.toml:14: [beta] db-servers-hosts = H1:3306: is listed twice',
        'config.toml:16: [gamma] db-servers-hosts = h1: belongs to cluster beta already',
        'config.toml:17: [gamma] db-servers-tls-client-cert: needs db-servers-tls-client-key too',
      ])
    })

    for (const [title, text, fault] of [
      [
        'a certificate without its key',
        '[Default]\nmonitoring-ssl-cert = "c.pem"\n',
        'config.toml:2: [Default] monitoring-ssl-cert: needs monitoring-ssl-key too',
      ],
      [
        'one port for both listeners',
        '[Default]\nhttp-port = 10005\n',
        'config.toml:2: [Default] http-port = 10005: is the port of the API listener too',
      ],
      [
        'a list where a number belongs',
        '[Default]\nlog-level = [1]\n',
        'config.toml:2: [Default] log-level = [1]: allowed: a whole number from 0 to 4',
      ],
    ] as const)
      it(`are reported of ${title}`, async () => {
        expect(faultsOf(await ground(text).load())).to.deep.equal([fault])
      })

    it('needs the address and the secret of an arbitrator that it is to ask, and no etcd beside it', async () => {
      const given = '[Default]\narbitration-external = true\n'
      for (const [more, texts] of [
        [
          '',
          [
            'arbitration-external-hosts: is needed with arbitration-external',
            'arbitration-external-secret: is needed with arbitration-external',
          ],
        ],
        ['arbitration-external-hosts = "arbiter:10012"\narbitration-external-secret = "s"\n', []],
        [
          'arbitration-external-hosts = "arbiter:10012"\narbitration-external-secret = "s"\ncluster-store = "etcd"\ncluster-store-endpoints = "http://e:2379"\n',
          [
            'config.toml:2: [Default] arbitration-external: excludes cluster-store = etcd: clusters have their owners there',
          ],
        ],
      ] as const) {
        const loaded = await ground(`${given}${more}[alpha]\n`).load()
        expect(faultsOf(loaded), more).to.have.length(texts.length)
        for (const [index, text] of texts.entries()) expect(faultsOf(loaded)[index]).to.contain(text)
      }
    })

    it('are reported of a file that cannot be read', async () => {
      const place = ground(minimal)
      const missing = await loadConfiguration({ file: path.join(place.directory, 'none.toml') })
      const folder = await loadConfiguration({ file: place.directory })
      expect([...faultsOf(missing), ...faultsOf(folder)].map((text) => text.replace(/.*: /, ''))).to.deep.equal([
        'no such file or directory',
        'is a directory',
      ])
    })

    it('are reported when there is nothing to load', async () => {
      expect(faultsOf(await loadConfiguration({}))).to.deep.equal([
        'file: no configuration file and no settings were given',
      ])
    })
  })

  describe('warnings', () => {
    for (const [title, text] of [
      ['an empty file', ''],
      ['a file without [Default]', '[alpha]\n'],
    ] as const)
      it(`name ${title}; strict makes it a fault`, async () => {
        const place = ground(text)
        expect(warningsOf(await place.load())).to.deep.equal(['config.toml: no section [Default]'])
        expect(faultsOf(await place.load({ flags: ['--strict'] }))).to.deep.equal(['config.toml: no section [Default]'])
      })

    it('name settings without effect where they stand', async () => {
      const loaded = await ground('[Default]\n[alpha]\napi-port = 1\n').load()
      expect(loaded.ok).to.equal(true)
      expect(warningsOf(loaded)).to.deep.equal([
        'config.toml:3: [alpha] api-port = 1: has no effect here: it belongs to [Default]',
      ])
    })

    it('name election hints for servers that are not there', async () => {
      const loaded = await ground(
        '[Default]\n[alpha]\ndb-servers-hosts = "db1,db2"\ndb-servers-prefered-master = "db2,db3"\n',
      ).load()
      expect(warningsOf(loaded)).to.deep.equal([
        'config.toml:4: [alpha] db-servers-prefered-master = db3: is not in db-servers-hosts',
      ])
    })

    it('name a file with secrets that every user may read', async () => {
      const place = ground('[Default]\ndb-servers-credential = "root:hidden"\n')
      chmodSync(path.join(place.directory, 'config.toml'), 0o644)
      expect(warningsOf(await place.load())).to.deep.equal([
        'config.toml: contains secrets and is readable by all users; set mode 0640',
      ])
    })
  })

  describe('secrets', () => {
    it('may stand encrypted', async () => {
      const place = ground(minimal)
      unwrap(await generateKeyFile(path.join(place.directory, 'key')))
      const key = unwrap(await readKeyFile(path.join(place.directory, 'key')))
      const stored = key ? encryptSecret(secret('root:hidden'), key) : ''
      place.write('config.toml', `[Default]\ndb-servers-credential = "${stored}"\n[alpha]\n`)
      const { clusters } = await place.configuration()
      const value = clusters.get('alpha')?.settings['db-servers-credential']
      expect(value && reveal(value)).to.equal('root:hidden')
    })

    it('are a fault when the key is missing or too open, or another program encrypted them', async () => {
      const place = ground(
        '[Default]\ndb-servers-credential = "aes256gcm:AAAA"\nreplication-credential = "root:hash_00112233445566778899aabbccddeeff"\n',
      )
      place.write('key', 'x')
      const faults = faultsOf(await place.load()).join('\n')
      expect(faults).to.match(/is readable by other users; set mode 0600/)
      expect(faults).to.match(
        /:2: \[Default\] db-servers-credential = \*:\*: allowed: an encrypted value only with its key file/,
      )
      expect(faults).to.match(/:3: \[Default\] replication-credential = \*:\*: .*another program encrypted this one/)
      expect(faults).to.include('let monitoring-key-path name its key file (16 bytes, mode 0600)')
    })

    it('may be the password of an account alone, and are never taken for one', async () => {
      const place = ground('[Default]\n')
      unwrap(await generateKeyFile(path.join(place.directory, 'key')))
      const key = unwrap(await readKeyFile(path.join(place.directory, 'key')))
      const stored = key ? encryptSecret(secret('hidden'), key) : ''
      place.write('config.toml', `[Default]\n[alpha]\ndb-servers-credential = "root:${stored}"\n`)
      const { clusters } = await place.configuration()
      const value = clusters.get('alpha')?.settings['db-servers-credential']
      expect(value && reveal(value)).to.equal('root:hidden')
      place.write('config.toml', '[Default]\n[alpha]\ndb-servers-credential = "root:aes256gcm:…"\n')
      expect(faultsOf(await place.load()).join('\n')).to.match(/:3: \[alpha\] db-servers-credential = /)
    })

    it('may be those of the existing system, with its key file', async () => {
      const sealed = 'hash_0f0e0d0c0b0a090807060504030201005f47065020310b82ecb4'
      const place = ground(
        `[Default]\ndb-servers-credential = "root:${sealed}"\napi-credentials = "admin:${sealed},dba:x"\n[alpha]\nmail-smtp-password = "${sealed}"\n`,
      )
      const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
      writeFileSync(path.join(place.directory, 'key'), bytes, { mode: 0o600 })
      const { clusters, server } = await place.configuration()
      const settings = clusters.get('alpha')?.settings
      const shown = [
        settings?.['db-servers-credential'],
        settings?.['mail-smtp-password'],
        server.settings['api-credentials'],
      ]
      expect(shown.map((value) => value && reveal(value))).to.deep.equal([
        ...['root:mypass-ü1', 'mypass-ü1', 'admin:mypass-ü1,dba:x'],
      ])
    })

    it('are passwords as they are where the existing system left its prefix out, with a warning where its key opens them', async () => {
      const bare = '0f0e0d0c0b0a090807060504030201005f47065020310b82ecb4'
      const place = ground(
        `[Default]\ndb-servers-credential = "root:${bare}"\nreplication-credential = "repl:00112233445566778899aabbccddeeff"\n[alpha]\n`,
      )
      const warnings = async () => (await place.load()).warnings.map(renderFault).join('\n')
      expect(await warnings()).to.equal('')
      writeFileSync(path.join(place.directory, 'key'), Buffer.from('00112233445566778899aabbccddeeff', 'hex'), {
        mode: 0o600,
      })
      expect(await warnings()).to.match(/^\S+:2: \[Default\] db-servers-credential = .*write hash_ before it$/)
      expect(await warnings()).to.not.include(bare)
      const value = (await place.configuration()).clusters.get('alpha')?.settings['db-servers-credential']
      expect(value && reveal(value)).to.equal(`root:${bare}`)
    })

    it('cannot be printed from a configuration', async () => {
      const place = ground('[Default]\ndb-servers-credential = "root:hidden"\n[alpha]\nmail-smtp-password = "hidden"\n')
      place.write('data/alpha/alpha.toml', '[saved-alpha]\nreplication-credential = "repl:hidden"\n')
      const configuration = await place.configuration()
      const scopes = [configuration.server, ...configuration.clusters.values()]
      const printed = [
        inspect(configuration, { depth: 20, showHidden: true }),
        JSON.stringify(scopes.map((scope) => ({ ...scope, given: [...scope.given], saved: [...scope.saved] }))),
        scopes.map(({ settings }) => settingNames.map((name) => settings[name]).join()).join(),
      ]
      expect(printed.filter((text) => text.includes('hidden'))).to.deep.equal([])
      expect(originOf(configuration, 'alpha', 'replication-credential').origin.kind).to.equal('saved')
    })
  })

  describe('saved changes', () => {
    for (const [title, text] of [
      ['half-written', '[saved-alpha]\nfailover-limit = '],
      ['empty', ''],
      ['of another cluster', '[saved-beta]\nfailover-limit = 1\n'],
    ] as const) {
      it(`that are ${title} are reported, and the last good copy is used`, async () => {
        const place = ground('[Default]\n[alpha]\n')
        place.write('data/alpha/alpha.toml', text)
        place.write('data/alpha/alpha.toml.old', '[saved-alpha]\nfailover-limit = 9\n')
        expect(warningsOf(await place.load()).join()).to.match(/alpha.toml: .*the last good copy \(.old\) is used$/)
        expect(originOf(await place.configuration(), 'alpha', 'failover-limit').value).to.equal(9)
      })

      it(`that are ${title} without a copy never stop the start`, async () => {
        const place = ground('[Default]\n[alpha]\n')
        place.write('data/alpha/alpha.toml', text)
        expect(warningsOf(await place.load()).join()).to.match(/no good copy exists, saved changes are not applied$/)
        expect((await place.load()).ok).to.equal(true)
      })
    }

    it('of a wrong value, an unknown name or another scope are left out, the others hold', async () => {
      const place = ground('[Default]\n[alpha]\n')
      place.write(
        'data/alpha/alpha.toml',
        '[saved-alpha]\nfailover-limit = "x"\nnone-such = 1\napi-port = 1\nlog-level = 4\n',
      )
      expect(warningsOf(await place.load())).to.have.length(3)
      expect(originOf(await place.configuration(), 'alpha', 'log-level').value).to.equal(4)
    })

    it('bring back clusters that were added at run time, and no other directories', async () => {
      const place = ground('[Default]\nfailover-limit = 1\n[alpha]\n')
      place.write(
        'data/beta/beta.toml',
        '[saved-beta]\nadded-at-run-time = true\ndb-servers-hosts = "h1"\nfailover-limit = 2\n',
      )
      place.write('data/gamma/gamma.toml', '[saved-gamma]\nfailover-limit = 2\n')
      place.write('data/lost/state.json', '{}')
      const configuration = await place.configuration()
      expect([...configuration.clusters.keys()]).to.deep.equal(['alpha', 'beta'])
      expect(originOf(configuration, 'beta', 'db-servers-hosts')).to.deep.include({ value: ['h1'], immutable: false })
      expect(originOf(configuration, 'beta', 'failover-limit')).to.deep.include({ value: 2, immutable: false })
    })

    it('of an added cluster that are damaged are reported, though no file declares it', async () => {
      const place = ground('[Default]\n')
      place.write('data/beta/beta.toml', '[saved-beta')
      expect(warningsOf(await place.load()).join()).to.match(/beta.toml: .*no good copy exists/)
      place.write('data/beta/beta.toml.old', '[saved-beta]\nadded-at-run-time = true\n')
      expect([...(await place.configuration()).clusters.keys()]).to.deep.equal(['beta'])
    })

    it('in a directory that cannot be read are reported', async () => {
      const place = ground('[Default]\n[alpha]\n')
      place.write('data', 'a file')
      const loaded = await place.load()
      expect(loaded.ok && warningsOf(loaded).join()).to.match(/data: .*is not a directory/)
    })

    it('of the server hold for every cluster', async () => {
      const place = ground(minimal)
      place.write('data/default.toml', '[saved-default]\napi-token-timeout = 8\n')
      const { server, clusters } = await place.configuration()
      expect([
        server.settings['api-token-timeout'],
        clusters.get('alpha')?.settings['api-token-timeout'],
      ]).to.deep.equal([8, 8])
    })
  })
})
