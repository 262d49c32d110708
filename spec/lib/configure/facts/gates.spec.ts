// Gates: flavour and version decide, and an unknown version is neither yes nor no.
import { expect } from 'chai'
import { type Gate, judgeGates, parseGate, softwareOfImage } from '../../../../lib/configure/facts/gates.js'
import { parseVersion } from '../../../../lib/model/server/version.js'

const gates = (...texts: readonly string[]): readonly Gate[] => texts.flatMap((text) => parseGate(text) ?? [])

describe('judgeGates', () => {
  for (const [texts, flavour, version, verdict] of [
    [[], 'mysql', '8.0.1', 'open'],
    [['mariadb'], 'mariadb', undefined, 'open'],
    [['mariadb'], 'mysql', undefined, 'shut'],
    [['mysql'], 'percona', '8.0.1', 'open'],
    [['mariadb >=10.5'], 'mariadb', '10.5.0', 'open'],
    [['mariadb >=10.5'], 'mariadb', '10.4.99', 'shut'],
    [['mariadb >=10.5 <11.1'], 'mariadb', '11.1.0', 'shut'],
    [['mariadb >=10.5 <11.1'], 'mariadb', undefined, 'maybe'],
    [['mariadb <10.11.12', 'mariadb >=11.0 <11.4.6'], 'mariadb', '11.4.5', 'open'],
    [['mariadb <10.11.12', 'mariadb >=11.0 <11.4.6'], 'mariadb', '10.11.12', 'shut'],
    [['mysql =8.4.3'], 'mysql', '8.4.3', 'open'],
  ] as const)
    it(`judges [${texts.join(', ')}] for ${flavour} ${version ?? 'of unknown version'} as ${verdict}`, () => {
      const software = { flavour, ...(version === undefined ? {} : { version: parseVersion(version) }) }
      expect(judgeGates(gates(...texts), software)).to.equal(verdict)
    })
})

describe('parseGate', () => {
  for (const text of ['', 'maria', 'mariadb 10.5', 'mariadb >=10', 'mariadb >= 10.5', 'mysql ~8.0'])
    it(`refuses "${text}"`, () => expect(parseGate(text)).to.equal(undefined))
})

describe('softwareOfImage', () => {
  for (const [image, software] of [
    ['mariadb:latest', { flavour: 'mariadb' }],
    ['mysql:9.7', { flavour: 'mysql', version: parseVersion('9.7') }],
    ['docker.io/library/mysql:8.0.42-oracle', { flavour: 'mysql', version: parseVersion('8.0.42') }],
    ['percona/percona-server:8.4', { flavour: 'percona', version: parseVersion('8.4') }],
    ['registry.example:5000/mysql/community-server:8.4', { flavour: 'mysql', version: parseVersion('8.4') }],
    ['own-database:1', undefined],
  ] as const)
    it(`reads ${image}`, () => {
      expect(softwareOfImage(image)).to.deep.equal(software)
    })
})
