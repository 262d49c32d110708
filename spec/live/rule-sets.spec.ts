// Real servers start on what is generated, and take on and give back at run time what a tag says they can.
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { judgeGates } from '../../lib/configure/facts/gates.js'
import {
  expectedOptions,
  gapsOf,
  type Rule,
  readConfigureSettings,
  renderStatements,
  runsOnGenerated,
  type Software,
} from '../../lib/configure/index.js'
import { parsePlugins } from '../../lib/dialect/index.js'
import {
  configured,
  fillData,
  type Start,
  serving,
  softwareOf,
  startOnce,
  twoAtATime,
} from '../support/configuration/generated.js'
import { engineIfAny } from '../support/configuration/known-options.js'
import { shippedRules } from '../support/configuration/rules.js'
import type { Engine } from '../support/databases/engine.js'
import { Node } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { freeBlock, freePair } from '../support/machine/ports.js'
import { sample } from '../support/run/soak.js'

const run = promisify(execFile)
const usual = 'semisync,row,innodb,noquerycache,threadpool,slow,pfs,docker,linux,diskmonitor,sqlerror,compressbinlog'

/** Tags whose start needs what no configuration brings, with the reason. */
const needsMore: Readonly<Record<string, string>> = {
  lowercasetable: 'MySQL takes it only when its data folder is made',
}

/** Tags that a folder of data must be made by: shown where servers are recreated (reprovision.spec.ts). */
const ownData: ReadonlySet<string> = new Set(['innodbpage8k'])

/** Changes what is loaded or where files lie: only a start shows whether it holds. */
const needsStart = (rule: Rule): boolean => rule.restart || rule.options.some(({ name }) => name === 'plugin_load_add')

const applies = (rule: Rule, software: Software): boolean =>
  judgeGates(rule.gates, software) === 'open' &&
  rule.options.some((option) => judgeGates(option.gates, software) === 'open')

const contradict = (one: string, other: string): boolean =>
  shippedRules().rules.some(
    ({ tag, excludes }) => (tag === one && excludes.includes(other)) || (tag === other && excludes.includes(one)),
  )

/** The tag threadpool: where a server of a folder listens besides its port, as `SVC_CONF_ENV_EXTRA_PORT` has it. */
const extraPort = (port: number): number => (port + 1000 < 32_768 ? port + 1000 : port - 1000)

/** Errors that a server may log and serve all the same. */
const harmless: readonly RegExp[] = []

for (const name of ['mariadb', 'mariadb-11.8', 'mysql-9'] as const)
  describe(`${name} on generated configurations`, () => {
    let engine: Engine
    let software: Software
    let certificates: string

    before(async function () {
      const found = await engineIfAny(name)
      if (found === undefined) return this.skip()
      engine = found
      software = await softwareOf(engine)
      certificates = await makeCertificates()
    })

    /** Starts with these tags; the sizes are small, so that many starts fit a machine. */
    const start = async (settings: Readonly<Record<string, unknown>>, overlay = ''): Promise<Start> => {
      const tags = String(settings['prov-db-tags'])
      const isGalera = /\bwsrep\b/.test(tags)
      // Galera listens at a port of its own, its increments come at the next one.
      const group = isGalera ? { 'replication-multi-master-wsrep-port': await freeBlock(3) } : {}
      const port = await freePair(extraPort)
      const overlays = { '02_delta': overlay }
      const directory = await configured({ software, settings: { ...settings, ...group }, port, overlays })
      const ssl = path.join(directory, 'init/etc/mysql/ssl')
      await run('cp', ['-r', `${certificates}/.`, ssl])
      await fillData(engine, directory)
      const more = isGalera ? ['--wsrep-new-cluster'] : []
      const outcome = await startOnce(engine, directory, more)
      await rm(directory, { recursive: true, force: true })
      return { ...outcome, errors: outcome.errors.filter((line) => !harmless.some((each) => each.test(line))) }
    }

    for (const [memory, overlay] of [
      [256, ''],
      [1024, ''],
      // No machine for tests has what these ask for: the greatest sizes are made small, all else is as generated.
      [16_384, 'innodb_buffer_pool_size = 64M\nkey_buffer_size = 1M\n'],
      [262_144, 'innodb_buffer_pool_size = 64M\nkey_buffer_size = 1M\n'],
    ] as const)
      it(`starts on the default tags at ${memory} MB`, async () => {
        const small = overlay === '' ? '' : `[mysqld]\n${overlay}loose_aria_pagecache_buffer_size = 8M\n`
        const settings = { 'prov-db-memory': memory, 'prov-db-disk': 1 }
        expect(await start({ ...settings, 'prov-db-tags': `${usual},readonly` }, small)).to.deep.equal({
          ready: true,
          errors: [],
        })
      })

    it('starts with each tag that changes what loads or where files lie', async () => {
      const rules = shippedRules().rules.filter(
        (rule) => !rule.always && rule.unproven === undefined && needsStart(rule) && applies(rule, software),
      )
      // The installed server is tried with all of them by every commit, the others with some.
      const tried = name === 'mariadb' ? rules : sample(rules, 6)
      const faults = await twoAtATime(tried, async ({ tag }) => {
        if (ownData.has(tag) || (tag in needsMore && engine.flavour === 'mysql')) return []
        const tags = tag === 'osx' ? usual.replace('linux', tag) : `${usual},${tag}`
        const { ready, errors } = await start({ 'prov-db-tags': tags, 'prov-db-disk': 1 })
        return ready && errors.length === 0 ? [] : [[tag, ready ? 'ready' : 'not ready', ...errors].join('\n')]
      })
      expect(faults.flat().join('\n')).to.equal('')
    })

    describe('at run time', () => {
      let node: Node

      before(async () => {
        const port = await freePair(extraPort)
        const directory = await configured({ software, settings: { 'prov-db-tags': usual, 'prov-db-disk': 1 }, port })
        await fillData(engine, directory)
        const place = { dir: directory, port, extraPort: extraPort(port), serverNumber: 1 }
        node = new Node({ name, engine: { ...engine, command: () => serving(engine, directory) }, place, options: [] })
        node.start()
        await node.waitUp()
      })
      after(() => node?.destroy())

      it('takes on what a tag says it can, and gives it back', async () => {
        const rules = shippedRules().rules.filter(
          ({ always, gates, unproven }) => !always && unproven === undefined && judgeGates(gates, software) === 'open',
        )
        const faults: string[] = []
        for (const rule of rules.filter(({ live }) => live.length > 0)) faults.push(...(await turnAround(rule)))
        expect(faults.join('\n')).to.equal('')
      })

      it('shows nothing that is not as its tags say', async () => {
        const { tags, resources } = unwrap(readConfigureSettings({ 'prov-db-tags': usual, 'prov-db-disk': 1 }))
        const server = { id: 'db4711081512345678', host: '127.0.0.1', port: node.port }
        const context = { kind: 'local', directory: node.dir } as const
        const expected = expectedOptions(shippedRules(), {
          tags,
          resources,
          software,
          cluster: 'demo',
          server,
          context,
        })
        const plugins = parsePlugins(await node.sql('SHOW PLUGINS'))
        const shown = { variables: Object.fromEntries(await variablesOf()), plugins }
        expect(gapsOf(expected, shown)).to.deep.equal([])
        expect(runsOnGenerated((name) => shown.variables[name])).to.equal(true)
      })

      /** Applies a tag and takes it back; names what fails and what is not as before. */
      async function turnAround(rule: Rule): Promise<readonly string[]> {
        const { resources } = unwrap(readConfigureSettings({}))
        const server = { id: 'db4711081512345678', host: '127.0.0.1', port: node.port }
        const input = { resources, software, cluster: 'demo', server, context: { kind: 'container' } as const }
        if (usual.split(',').some((tag) => tag === rule.tag || contradict(rule.tag, tag))) return []
        const before = await variablesOf()
        const faults = [...(await execute(rule, 'apply', input)), ...(await execute(rule, 'back', input))]
        const after = await variablesOf()
        const differ = [...before].filter(([each, value]) => after.get(each) !== value)
        return [...faults, ...differ.map(([each, value]) => `${rule.tag}: ${each} was ${value}, is ${after.get(each)}`)]
      }

      const execute = async (
        rule: Rule,
        direction: 'apply' | 'back',
        input: Parameters<typeof renderStatements>[2],
      ): Promise<readonly string[]> => {
        const faults: string[] = []
        for (const sql of renderStatements(rule, direction, input))
          await node.sql(sql).catch((error: Error) => faults.push(`${rule.tag}: ${error.message}`))
        return faults
      }

      const variablesOf = async () =>
        new Map(
          (await node.sql('SHOW GLOBAL VARIABLES'))
            .map((row) => [String(row.Variable_name), String(row.Value)] as const)
            .filter(([each]) => !/^(gtid_|timestamp|innodb_buffer_pool_dump|last_|pseudo_)/.test(each)),
        )
    })
  })

/** A folder with what the tags ssl and keyfileencrypt need. */
async function makeCertificates(): Promise<string> {
  const folder = newDirectory('ssl')
  const file = (name: string) => path.join(folder, name)
  const subject = ['-subj', '/CN=demo', '-days', '2']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const side of ['server', 'client'])
    await run('openssl', [
      'req',
      '-x509',
      ...key,
      '-keyout',
      file(`${side}-key.pem`),
      '-out',
      file(`${side}-cert.pem`),
      ...subject,
    ])
  await run('cp', [file('server-cert.pem'), file('ca-cert.pem')])
  await writeFile(file('keyfile'), `1;${'0123456789abcdef'.repeat(4)}\n`)
  return folder
}
