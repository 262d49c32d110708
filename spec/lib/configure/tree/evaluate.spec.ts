// From tags to the tree of a server: the whole default tree as a file, and the rules it follows.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { unwrap } from '../../../../lib/base/result.js'
import { checkRules, type FileTree, prepareTemplate, readConfigureSettings } from '../../../../lib/configure/index.js'
import { fragment, mariadb, shippedRules, textOf, treeFor } from '../../../support/configuration/rules.js'

const golden = path.join(packageRoot, 'spec/fixture/configure/default-tree.txt')

const print = (tree: FileTree): string =>
  tree
    .map((entry) => {
      if (entry.kind === 'directory') return `${entry.mode.toString(8)} ${entry.path}/\n`
      if (entry.kind === 'link') return `link ${entry.path} -> ${entry.target}\n`
      return `${entry.mode.toString(8)} ${entry.path}\n${entry.text.replaceAll(/^(?=.)/gm, '    ')}`
    })
    .join('')

describe('evaluateRules', () => {
  it('gives the default tags the tree of the fixture', () => {
    const printed = print(treeFor())
    if (process.env.UPDATE === '1') writeFileSync(golden, printed)
    expect(printed).to.equal(readFileSync(golden, 'utf8'))
  })

  it('lists the system tree of the contract', () => {
    const folders = treeFor().flatMap(({ kind, path: each }) => (kind === 'directory' ? [each] : []))
    for (const name of ['innodb/undo', 'innodb/redo', 'aria', 'tmp', 'repl', 'logs', 'tokudb'])
      expect(folders).to.include(`data/.system/${name}`)
  })

  it('writes folders before what is in them', () => {
    const seen = new Set(['.'])
    for (const { path: each } of treeFor()) {
      expect(seen).to.include(path.dirname(each))
      seen.add(each)
    }
  })

  for (const [context, data] of [
    [{ kind: 'container' }, '/var/lib/mysql'],
    [{ kind: 'package', basedir: '/opt/db1' }, '/opt/db1/var/lib/mysql'],
    [{ kind: 'local', directory: '/srv/demo/db1_3306' }, '/srv/demo/db1_3306/data'],
  ] as const)
    it(`writes absolute paths below ${data} in the context ${context.kind}`, () => {
      const tree = treeFor({ context })
      expect(fragment(tree, 'default_path')).to.include(`log_error = ${data}/.system/logs/error.log\n`)
      expect(textOf(tree, 'etc/mysql/my.cnf')).to.include(`datadir = ${data}\n`)
      expect(print(tree)).to.not.include('./.system')
      expect(print(tree)).to.not.include('%%ENV')
    })

  it('configures the programs of the Galera state transfer to keep parts of the data folder', () => {
    const text = fragment(treeFor({ settings: { 'prov-db-tags': 'row,wsrep' } }), 'wsrep')
    const [, kept = ''] = /^\[sst\]\ncpat = "(.*)"$/m.exec(text) ?? []
    // As find(1) reads it: emacs' syntax.
    const stays = new RegExp(`^(?:${kept.replaceAll('\\\\', '\\').replaceAll('\\|', '|')})$`)
    for (const name of ['.system', '.made-by-manager', 'grastate.dat', 'galera.cache'])
      expect(stays.test(`/data/${name}`), name).to.equal(true)
    for (const name of ['mysql', 'ibdata1', 'other.system', '.system/innodb/redo/ib_logfile0'])
      expect(stays.test(`/data/${name}`), name).to.equal(false)
  })

  it('leaves out options that a flavour or version does not have', () => {
    const old = fragment(
      treeFor({ software: { flavour: 'mariadb', version: { major: 10, minor: 6, patch: 1 } } }),
      'innodb',
    )
    expect(old).to.match(/^innodb_buffer_pool_chunk_size = 8M$/m)
    expect(fragment(treeFor(), 'innodb')).to.not.include('chunk_size')
    const mysql = treeFor({ software: { flavour: 'mysql', version: { major: 8, minor: 4, patch: 3 } } })
    expect(fragment(mysql, 'semisync')).to.match(/^plugin_load_add = semisync_source\.so$/m)
    expect(fragment(mysql, 'innodb')).to.match(/^innodb_redo_log_capacity = 52M$/m)
    expect(fragment(mysql, 'noquerycache')).to.equal('')
    expect(mysql.map((entry) => entry.path)).to.not.include('etc/mysql/conf.d/sqlerror.cnf')
  })

  it('writes an option with loose_ while the version that decides is unknown', () => {
    const unknown = treeFor({ software: { flavour: 'mariadb' } })
    expect(fragment(unknown, 'innodb')).to.match(/^loose_innodb_buffer_pool_chunk_size = 8M$/m)
    expect(fragment(unknown, 'innodb')).to.match(/^innodb_buffer_pool_size = 104M$/m)
  })

  it('keeps the source side of semi-synchronous replication off', () => {
    const text = fragment(treeFor(), 'semisync')
    expect(text).to.match(/^rpl_semi_sync_\w+_wait_point = AFTER_SYNC$/m)
    expect(text.match(/^rpl_semi_sync_\w+_enabled = \w+$/gm)?.map((line) => line.split(' = ')[1])).to.have.members([
      'ON',
      'OFF',
    ])
  })

  it('explains each figure of the memory plan beside it', () => {
    expect(fragment(treeFor(), 'innodb')).to.match(/^# innodb 60 % of 192 MB .*\ninnodb_buffer_pool_size = 104M$/m)
  })

  it('adds the tags that a tag includes', () => {
    const tree = treeFor({ settings: { 'prov-db-tags': 'minimal' } })
    expect(fragment(tree, 'row')).to.include('binlog_format = ROW')
  })

  it('writes the overlays that it is given, and marks the others as empty', () => {
    const tree = treeFor({ overlays: { '02_delta': '[mysqld]\nback_log = 7\n' } })
    expect(textOf(tree, 'etc/mysql/custom.d/02_delta.cnf')).to.equal('[mysqld]\nback_log = 7\n')
    expect(textOf(tree, 'etc/mysql/custom.d/01_preserved.cnf')).to.match(/^# Preserved variables .*: none\./)
  })

  it('quotes values that the option file would misread', () => {
    const { set } = checkRules([
      {
        file: 'own.yaml',
        text: "own:\n  category: log\n  doc: Values that need quotes.\n  source: https://example.org/\n  always: true\n  order: 3\n  options:\n    init_connect: 'SET @a=\"#1\"'\n    sql_mode: ''\n    skip_show_database:\n",
      },
    ])
    const text = fragment(treeFor({ rules: set }), 'own')
    expect(text).to.include('init_connect = "SET @a=\\"#1\\""\n')
    expect(text).to.include("sql_mode = ''\n")
    expect(text).to.match(/^skip_show_database$/m)
  })
})

describe('prepareTemplate', () => {
  it('shares only pieces that do not depend on a server', () => {
    const { tags, resources } = unwrap(readConfigureSettings({}))
    const common = { rules: shippedRules(), tags, resources, software: mariadb }
    const { shared, own } = prepareTemplate({ ...common, context: 'container' })
    const server = {
      cluster: 'demo',
      server: { id: 'db1', host: 'db1', port: 3306 },
      context: { kind: 'container' },
    } as const
    expect(own(server).map((entry) => entry.path)).to.include('etc/mysql/conf.d/default_network.cnf')
    expect(shared.map((entry) => entry.path)).to.include('etc/mysql/conf.d/innodb.cnf')
    expect(print(shared)).to.not.match(/db1|3306/)
  })
})
