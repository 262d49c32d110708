// Names of binary logs, whatever the log is called.
import { expect } from 'chai'
import { logNumber, parseLogName } from '../../../../lib/model/server/log-name.js'

describe('the name of a binary log', () => {
  for (const [file, name, number] of [
    ['binlog.000042', 'binlog', 42],
    ['db1.example.000007', 'db1.example', 7],
    ['binlog.1000000', 'binlog', 1_000_000],
  ] as const)
    it(`of ${file} is ${name} and ${number}`, () => {
      expect(parseLogName(file)).to.deep.equal({ name, number })
      expect(logNumber(file)).to.equal(number)
    })

  for (const text of ['', 'binlog', 'binlog.index', 'binlog.000042.gz'])
    it(`is none in '${text}', which comes before all files`, () => {
      expect(parseLogName(text)).to.equal(undefined)
      expect(logNumber(text)).to.equal(0)
    })
})
