import { expect } from 'chai'
import type { ProxyReading } from '../../../lib/proxy/kit/index.js'
import { followProxy, judgeProxies, type WatchedProxy } from '../../../lib/proxy/standing.js'

const reading = (change: Partial<ProxyReading> = {}): ProxyReading => ({
  ...{
    id: 'px1',
    name: 'lb1',
    kind: 'proxysql',
    host: 'lb1',
    port: 6032,
    at: 0,
    alive: true,
    version: '',
    backends: [],
  },
  ...change,
})
const dead = reading({ alive: false, error: 'no answer' })

const followed = (...readings: readonly ProxyReading[]): WatchedProxy => {
  const [first = reading(), ...rest] = readings
  return rest.reduce(followProxy, followProxy(undefined, first))
}

describe('followProxy', () => {
  it('suspects one that does not answer, and gives it up after five times', () => {
    const states = [1, 4, 5].map((times) => followed(reading(), ...Array.from({ length: times }, () => dead)))
    expect(states.map(({ state, failures }) => `${state} ${failures}`)).to.deep.equal([
      'suspect 1',
      'suspect 4',
      'failed 5',
    ])
    expect(states[2]?.before).to.equal('suspect')
  })

  it('remembers the state before through readings that change nothing', () => {
    expect(followed(dead, reading(), reading())).to.include({ state: 'running', before: 'suspect', failures: 0 })
  })
})

describe('judgeProxies', () => {
  const judge = (...readings: readonly ProxyReading[]) =>
    judgeProxies([followed(...readings)]).map(({ code, server, detail }) => `${code} ${server} ${detail}`)

  it('finds nothing where a proxy answers, or has not answered once', () => {
    expect([...judge(reading()), ...judge(dead)]).to.deep.equal([])
  })

  for (const [kind, code] of [
    ['haproxy', 'ERR00052'],
    ['proxysql', 'ERR00051'],
    ['maxscale', 'ERR00050'],
  ] as const)
    it(`finds ${code} for ${kind} that has failed`, () => {
      const readings = Array.from({ length: 5 }, () => ({ ...dead, kind }))
      expect(judge(...readings)).to.deep.equal([`${code} px1 lb1: no answer`])
    })

  it('finds one whose state differs from what was applied', () => {
    expect(judge(reading({ differs: 'lb1: writer db1:3306 is absent instead of ONLINE' }))).to.deep.equal([
      'ERR00106 px1 lb1: writer db1:3306 is absent instead of ONLINE',
    ])
  })

  it('finds users and rules that it did not take, those of a kind together', () => {
    const left = (code: 'ERR00054' | 'WARN0092', ...details: readonly string[]) =>
      details.map((detail) => ({ code, detail }))
    const troubles = [...left('ERR00054', 'ada', 'eve'), ...left('WARN0092', 'no rule')]
    expect(judge(reading({ troubles }))).to.deep.equal(['ERR00054 px1 lb1: ada; eve', 'WARN0092 px1 lb1: no rule'])
    const many = left('ERR00054', ...Array.from({ length: 12 }, (_, index) => `u${index}`))
    expect(judge(reading({ troubles: many }))[0]).to.match(/u9; 2 more$/)
    expect(judge({ ...dead, troubles })).to.deep.equal([])
  })
})
