// What is generated for proxies is accepted by the real programs; where none is to be had, by their documented grammar.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { ProxyInput, ProxySoftware } from '../../../lib/configure/index.js'
import { parseLibconfig } from '../../support/configuration/libconfig.js'
import { textOf } from '../../support/configuration/rules.js'
import { newDirectory } from '../../support/machine/directories.js'
import { readExample } from '../../support/proxies/haproxy.js'
import { inputFor, proxyFacts, proxyRules, proxyTree } from '../../support/proxies/proxies.js'

const run = promisify(execFile)

/** A tree on disk, its context that of the folder. */
function place(software: ProxySoftware, request: Partial<ProxyInput> = {}): string {
  const directory = newDirectory(`proxy-${software}`)
  const tree = proxyTree(inputFor(software, { ...request, context: { kind: 'local', directory } }))
  for (const entry of tree) {
    const file = path.join(directory, 'init', entry.path)
    if (entry.kind === 'directory') mkdirSync(file, { recursive: true })
    if (entry.kind === 'file') writeFileSync(file, entry.text)
  }
  for (const name of ['run', 'data']) mkdirSync(path.join(directory, name), { recursive: true })
  writeFileSync(path.join(directory, 'run/haproxy.state'), '1\n')
  return directory
}

/** keepalived checks that it exists, and refuses the loopback. */
const card = readdirSync('/sys/class/net').find((name) => name !== 'lo') ?? 'eth0'
const facts = { ...proxyFacts, route: { address: '192.0.2.9', netmask: '255.255.255.0', interface: card } }
const allTags = proxyRules.set.rules.flatMap(({ tag, always }) => (always ? [] : [tag]))
/**
 * What ProxySQL 2.5 reads of a row of its file: `lib/ProxySQL_Config.cpp` of sysown/proxysql. It skips any other name
 * without a word, and a row that breaks a constraint of `include/ProxySQL_Admin_Tables_Definitions.h` as well.
 */
const proxysqlColumns: Readonly<Record<string, readonly string[]>> = {
  mysql_servers: [
    ...['address', 'hostname', 'port', 'gtid_port', 'hostgroup', 'hostgroup_id', 'status', 'weight', 'compression'],
    ...['max_connections', 'max_replication_lag', 'use_ssl', 'max_latency_ms', 'comment'],
  ],
  mysql_replication_hostgroups: ['writer_hostgroup', 'reader_hostgroup', 'check_type', 'comment'],
  mysql_galera_hostgroups: [
    ...['writer_hostgroup', 'backup_writer_hostgroup', 'reader_hostgroup', 'offline_hostgroup', 'active'],
    ...['max_writers', 'writer_is_also_reader', 'max_transactions_behind', 'comment'],
  ],
  mysql_query_rules: [
    ...['rule_id', 'active', 'username', 'schemaname', 'flagIN', 'client_addr', 'proxy_addr', 'proxy_port', 'digest'],
    ...['match_digest', 'match_pattern', 'negate_match_pattern', 're_modifiers', 'flagOUT', 'replace_pattern'],
    ...['destination_hostgroup', 'cache_ttl', 'cache_empty_result', 'cache_timeout', 'reconnect', 'timeout', 'retries'],
    ...['delay', 'next_query_flagIN', 'mirror_flagOUT', 'mirror_hostgroup', 'error_msg', 'OK_msg', 'sticky_conn'],
    ...['multiplex', 'gtid_from_hostgroup', 'log', 'apply', 'attributes', 'comment'],
  ],
}

/**
 * Of its variables those that a file of ours may name.
 * https://proxysql.com/documentation/global-variables/mysql-variables/ and …/admin-variables/
 */
const proxysqlVariables: Readonly<Record<string, readonly string[]>> = {
  admin_variables: ['admin_credentials', 'mysql_ifaces'],
  mysql_variables: [
    ...['threads', 'interfaces', 'default_query_timeout', 'connect_timeout_server', 'monitor_username'],
    ...['monitor_password', 'monitor_connect_interval', 'monitor_ping_interval', 'monitor_read_only_interval'],
    ...['monitor_read_only_timeout', 'monitor_replication_lag_interval', 'monitor_writer_is_also_reader'],
    ...['ssl_p2s_ca', 'ssl_p2s_cert', 'ssl_p2s_key'],
  ],
}

const account = ['user', 'password', 'servers'] as const

/**
 * Of the parameters of MaxScale 23.08 those that a file of ours may name: it does not start with one that it does not
 * know. By type of section, services by router.
 * https://mariadb.com/docs/maxscale/maxscale-management/deployment/installation-and-configuration/maxscale-configuration-guide,
 * …/maxscale-routers/maxscale-readconnroute, …/maxscale-routers/maxscale-readwritesplit (max_slave_replication_lag before
 * 23.08), …/maxscale-monitors/common-monitor-parameters; ssl_ca was ssl_ca_cert before 22.08.
 */
const maxscaleParameters: Readonly<Record<string, readonly string[]>> = {
  maxscale: ['threads', 'admin_host', 'admin_port', 'admin_secure_gui'],
  server: ['address', 'port', 'ssl', 'ssl_ca', 'ssl_cert', 'ssl_key', 'ssl_verify_peer_certificate'],
  monitor: [...account, 'module', 'monitor_interval'],
  readconnroute: [...account, 'router', 'router_options', 'master_accept_reads', 'max_replication_lag'],
  readwritesplit: [...account, 'router', 'master_accept_reads', 'max_replication_lag'],
  listener: ['service', 'port'],
}

const both = (tags: readonly string[], tag: string) => [...tags.filter((each) => each !== tag), tag]

describe('the shipped rules of proxies', () => {
  for (const mode of ['runtimeapi', 'externalcheck'] as const)
    it(`make what haproxy accepts in the mode ${mode}, with every tag`, async () => {
      const others = allTags.filter((tag) => !['runtimeapi', 'externalcheck'].includes(tag))
      for (const tag of others) {
        const systemUser = tag === 'asuser' ? 'nobody' : ''
        const directory = place('haproxy', { tags: both([mode], tag), facts: { ...facts, systemUser } })
        const { stderr } = await run('haproxy', ['-c', '-f', `${directory}/init/etc/haproxy/haproxy.cfg`])
        expect(stderr.replace(/^.*\[NOTICE\].*$/gm, ''), tag).not.to.match(/WARNING|ALERT/)
      }
    })

  it('make what keepalived accepts for each kind of proxy', async () => {
    for (const software of ['haproxy', 'proxysql', 'maxscale'] as const) {
      const directory = place(software, { tags: ['keepalived'], facts })
      const file = `${directory}/init/etc/keepalived/keepalived.conf`
      const { stdout, stderr } = await run('keepalived', ['--config-test', '--use-file', file])
      expect(`${stdout}${stderr}`).not.to.match(/unknown|error|missing/i)
    }
  })

  it('make what the tools of Sphinx accept', async () => {
    const directory = place('sphinx', { tags: ['sphinx'] })
    const file = `${directory}/init/etc/sphinxsearch/sphinx.conf`
    const { stdout } = await run('indextool', ['--checkconfig', '--config', file])
    expect(stdout).to.match(/config valid/)
  })

  describe('for ProxySQL, by the grammar of libconfig and the columns of its tables', () => {
    const read = (tags: readonly string[]) =>
      parseLibconfig(textOf(proxyTree(inputFor('proxysql', { tags, facts })), 'etc/proxysql.cnf'))

    for (const tag of allTags)
      it(`holds with ${tag}`, () => {
        const settings = read([tag])
        const tables = Object.entries(settings).filter(([, value]) => Array.isArray(value))
        for (const [table, rows] of tables)
          for (const row of rows as readonly object[])
            expect(proxysqlColumns[table], table).to.include.members(Object.keys(row))
        expect(settings.mysql_servers).to.have.length(2)
        const groups = groupsOf(settings)
        expect(groups, 'a row whose groups are not all different is refused').to.have.length(new Set(groups).size)
        expect(groups).to.have.length(tag === 'wsrep' ? 4 : 2)
        for (const [name, known] of Object.entries(proxysqlVariables))
          expect(known, name).to.include.members(Object.keys(settings[name] as object))
      })

    it('holds for the example of share/doc/own-proxies.md', () => {
      const settings = parseLibconfig(readExample('proxysql'))
      for (const [name, known] of Object.entries(proxysqlVariables))
        expect(known, name).to.include.members(Object.keys(settings[name] as object))
      for (const table of ['mysql_servers', 'mysql_replication_hostgroups'])
        for (const row of settings[table] as readonly object[])
          expect(proxysqlColumns[table], table).to.include.members(Object.keys(row))
      expect(settings.mysql_servers).to.have.length(3)
    })

    it('adds TLS and rules where the tags ask for them', () => {
      const settings = read(['ssl', 'readwritesplit', 'readonmaster'])
      expect(settings.mysql_variables).to.include.keys('ssl_p2s_ca', 'monitor_writer_is_also_reader')
      expect(settings.mysql_query_rules).to.have.length(2)
    })
  })

  describe('for MaxScale, by the documented sections and parameters', () => {
    for (const tag of allTags)
      it(`holds with ${tag}`, () =>
        checkSections(textOf(proxyTree(inputFor('maxscale', { tags: [tag], facts })), 'etc/maxscale.cnf')))

    it('holds for the example of share/doc/own-proxies.md', () => checkSections(readExample('maxscale')))

    const checkSections = (text: string) => {
      const sections = sectionsOf(text)
      for (const [name, section] of sections) {
        const { type = 'maxscale', ...rest } = Object.fromEntries(section)
        const kind = type === 'service' ? rest.router : type
        expect(maxscaleParameters[kind ?? ''], `${name}: ${kind}`).to.include.members(Object.keys(rest))
        for (const server of rest.servers?.split(',') ?? []) expect([...sections.keys()]).to.include(server)
        if (type === 'listener') expect([...sections.keys()]).to.include(rest.service)
      }
    }
  })
})

/** Numbers of the groups that its one row about groups names. */
function groupsOf(settings: Readonly<Record<string, unknown>>): readonly unknown[] {
  const rows = settings.mysql_galera_hostgroups ?? settings.mysql_replication_hostgroups
  const [row = {}] = rows as readonly object[]
  return Object.entries(row).flatMap(([name, value]) => (name.endsWith('_hostgroup') ? [value] : []))
}

/** Sections by name; a duplicate name or parameter is a fault, as it is for MaxScale. */
function sectionsOf(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let open: Map<string, string> | undefined
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const [, name] = /^\[([\w-]+)\]$/.exec(line) ?? []
    if (name !== undefined) {
      expect(sections.has(name), `${name} twice`).to.equal(false)
      open = new Map()
      sections.set(name, open)
      continue
    }
    const [, key = '', value = ''] = /^(\w+)=(.+)$/.exec(line) ?? []
    expect(key, line).not.to.equal('')
    expect(open?.has(key), `${key} twice`).to.equal(false)
    open?.set(key, value)
  }
  return sections
}
