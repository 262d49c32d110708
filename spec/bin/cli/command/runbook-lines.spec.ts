// Every manager-cli line of the runbook pages is one that the client takes.

import { expect } from 'chai'
import { type FailureCode, failures, hintOf } from '../../../../lib/base/failures.js'
import { findSetting, settingRow } from '../../../../lib/settings/index.js'
import { parseLine } from '../../../support/configuration/parse-line.js'
import { linesOf } from '../../../support/configuration/runbook-lines.js'

const parse = (line: string): Promise<void> => parseLine(line.split(' '))

describe('the manager-cli commands of hints', () => {
  const codes = Object.keys(failures) as FailureCode[]
  const lines = codes.flatMap((code) =>
    [...hintOf(code, 'cli').matchAll(/`manager-cli ([^`]+)`/g)].map(([, line]) => line),
  )
  // What is named without its value.
  const whole = (line = '') =>
    /^setting set(-global)?$/.test(line) ? `${line} x 1` : line.replaceAll(/<[a-z]+>/g, 'x')
  for (const line of new Set(lines)) it(`\`${line}\` is one`, () => parse(line === 'api' ? 'api --url /' : whole(line)))
})

describe('the manager-cli lines of runbooks', () => {
  for (const { text, pages } of linesOf('cli'))
    it(`\`${text}\` is a command (${pages.slice(0, 3).join(', ')})`, () => parse(text))

  it('would be refused with a word or flag that does not exist', async () => {
    for (const line of ['server begin db1', 'failover --dry', 'server start db1 db2'])
      expect(await parse(line).catch(({ code }: { code: string }) => code), line).to.match(/^commander\./)
  })

  it('set settings that exist, where they belong, to values that they take', () => {
    for (const { text } of linesOf('cli')) {
      const [noun, verb, name = '', value = ''] = text.split(' ')
      if (noun !== 'setting' || !['set', 'switch', 'set-global', 'switch-global'].includes(verb ?? '')) continue
      if (name === 'x') continue
      const found = findSetting(name)
      if (!found) throw new Error(`no setting ${name}`)
      const row = settingRow(found)
      expect(row.scope, name).to.equal(verb?.endsWith('-global') ? 'server' : 'cluster')
      if (verb?.startsWith('switch')) expect(['on', 'off'], text).to.include(value)
      else expect(row.shape.parse(value).ok, text).to.equal(true)
    }
  })
})
