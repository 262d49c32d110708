// Drift as values: kept values, later changes of tags, and the validity of decisions.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type DriftRecord,
  decideDrift,
  editOverlay,
  judgeDrift,
  noDrift,
  parseOptions,
  renderAgreed,
  renderDelta,
  sameValue,
  settleRecord,
  shownValue,
} from '../../../../lib/configure/index.js'

type Values = Readonly<Record<string, string>>

const check = (
  expected: Values,
  variables: Values,
  { record = noDrift, preserved = [] as readonly string[], keeps = true, behind = false } = {},
) =>
  judgeDrift({
    ...{ expected: new Map(Object.entries(expected)), server: { variables, plugins: [] }, record, keeps, behind },
    preserved: new Set(preserved),
  })
const states = ({ differences }: ReturnType<typeof check>) =>
  Object.fromEntries(differences.map(({ name, state }) => [name, state]))
const delta = (record: DriftRecord) => Object.fromEntries(parseOptions(renderDelta(record)))

describe('judgeDrift', () => {
  it('gives one row for one variable, in one state, whatever spellings and decisions there are', () => {
    const text = '[mysqld]\nloose_Max-Connections = 100\nmax_connections=200\n[mariadb]\nmax-connections = 300\n'
    const kept = { value: '500', expected: '300' }
    const all = { max_connections: kept }
    const record = { ...noDrift, undecided: all, agreed: all, cleared: all, pending: all }
    const found = judgeDrift({
      expected: parseOptions(text),
      server: { variables: { max_connections: '500' }, plugins: [] },
      preserved: new Set(['max_connections']),
      ...{ record, keeps: true },
    })
    expect(found.differences).to.deep.equal([
      { name: 'max_connections', expected: '300', running: '500', state: 'preserved' },
    ])
    const { undecided, agreed, cleared, pending } = found.record
    expect([undecided, agreed, cleared, pending], 'no other decision is left beside it').to.deep.equal([{}, {}, {}, {}])
  })

  it('keeps an option that is preserved by the name of its variable', () => {
    const running = { tx_isolation: 'READ-COMMITTED' }
    const options = { preserved: ['tx_isolation'] }
    expect(states(check({ transaction_isolation: 'REPEATABLE-READ' }, running, options))).to.deep.equal({
      transaction_isolation: 'preserved',
    })
  })

  it('keeps running values that differ from the tags', () => {
    const seen = check({ a: '1', b: '2' }, { a: '1', b: '3' })
    expect(states(seen)).to.deep.equal({ b: 'undecided' })
    expect(delta(seen.record)).to.deep.equal({ b: '3' })
  })

  it('lets a later change of the tags override kept values', () => {
    const first = check({ b: '2' }, { b: '3' })
    const changed = check({ b: '5' }, { b: '3' }, { record: first.record })
    expect(states(changed)).to.deep.equal({ b: 'pending' })
    expect(delta(changed.record)).to.deep.equal({})
    expect(states(check({ b: '5' }, { b: '3' }, { record: changed.record }))).to.deep.equal({ b: 'pending' })
  })

  it('counts a variable of an added tag as no drift', () => {
    const first = check({ a: '1' }, { a: '1', b: '3' })
    expect(states(check({ a: '1', b: '2' }, { a: '1', b: '3' }, { record: first.record }))).to.deep.equal({
      b: 'pending',
    })
  })

  it('counts nothing as drift when the tags were changed before the first check', () => {
    const first = check({ a: '2' }, { a: '1' }, { behind: true })
    expect(states(first)).to.deep.equal({ a: 'pending' })
    expect(delta(first.record)).to.deep.equal({})
    expect(states(check({ a: '2' }, { a: '1' }, { record: first.record }))).to.deep.equal({ a: 'pending' })
  })

  it('still detects values that are set while the servers need a restart', () => {
    const first = check({ a: '1', b: '1' }, { a: '1', b: '1' })
    const behind = check({ a: '1', b: '2' }, { a: '3', b: '1' }, { record: first.record, behind: true })
    expect(states(behind)).to.deep.equal({ a: 'undecided', b: 'pending' })
  })

  it('detects a value that a user sets while a change is pending', () => {
    const first = check({ a: '1' }, { a: '1' })
    const pending = check({ a: '2' }, { a: '1' }, { record: first.record })
    expect(states(check({ a: '2' }, { a: '7' }, { record: pending.record }))).to.deep.equal({ a: 'undecided' })
  })

  it('removes the record of a variable that matches its tags', () => {
    const { record } = check({ a: '1' }, { a: '1' }, { record: check({ a: '1' }, { a: '2' }).record })
    expect(record).to.deep.equal({ ...noDrift, expected: { a: '1' } })
  })

  it('keeps an accepted difference while the tags do not change', () => {
    const first = check({ a: '1' }, { a: '2' })
    const [difference] = first.differences
    if (!difference) throw new Error('no difference')
    const record = decideDrift(first.record, difference, 'accept')
    expect(states(check({ a: '1' }, { a: '2' }, { record }))).to.deep.equal({ a: 'agreed' })
    expect(states(check({ a: '1' }, { a: '4' }, { record }))).to.deep.equal({ a: 'undecided' })
    expect(states(check({ a: '3' }, { a: '2' }, { record }))).to.deep.equal({ a: 'pending' })
  })

  it('applies the tags at the next start where a difference was cleared', () => {
    const first = check({ a: '1' }, { a: '2' })
    const [difference] = first.differences
    if (!difference) throw new Error('no difference')
    const record = decideDrift(first.record, difference, 'clear')
    const again = check({ a: '1' }, { a: '2' }, { record })
    expect(states(again)).to.deep.equal({ a: 'cleared' })
    expect(delta(again.record)).to.deep.equal({})
    expect(states(check({ a: '1' }, { a: '1' }, { record: again.record }))).to.deep.equal({})
  })

  it('keeps a preserved variable regardless of the tags', () => {
    const options = { preserved: ['a'] }
    expect(states(check({ a: '1' }, { a: '2' }, options))).to.deep.equal({ a: 'preserved' })
    const { record } = check({ a: '1' }, { a: '2' }, options)
    expect(states(check({ a: '5' }, { a: '2' }, { ...options, record }))).to.deep.equal({ a: 'preserved' })
  })

  it('keeps nothing where differences are not to be kept', () => {
    const seen = check({ a: '1' }, { a: '2' }, { keeps: false })
    expect(states(seen)).to.deep.equal({ a: 'pending' })
    expect(delta(seen.record)).to.deep.equal({})
  })

  it('does not compare values set by roles, nor options without a variable', () => {
    expect(check({ read_only: 'ON', skip_slave_start: '' }, { read_only: 'OFF' }).differences).to.deep.equal([])
  })

  const values = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3', 'on'))

  it('returns the same result and record at a second check', () => {
    fc.assert(
      fc.property(values, values, values, (before, expected, running) => {
        const { record } = check(before, running)
        const first = check(expected, running, { record })
        expect(check(expected, running, { record: first.record })).to.deep.equal(first)
      }),
    )
  })

  it('never keeps a value against a later value of the tags', () => {
    fc.assert(
      fc.property(values, fc.array(fc.tuple(values, values), { maxLength: 6 }), (start, steps) => {
        let record = check(start, {}).record
        for (const [expected, running] of steps) {
          const wanted = new Map(Object.entries(expected))
          const built = settleRecord(record, wanted)
          for (const [name, one] of Object.entries({ ...built.undecided, ...built.agreed }))
            expect(sameValue(wanted.get(name) ?? '\0', one.expected), name).to.equal(true)
          record = check(expected, running, { record: built }).record
          expect(settleRecord(record, wanted)).to.equal(record)
        }
      }),
    )
  })
})

describe('the files of custom.d', () => {
  it('return kept values with any content', () => {
    const kept = fc.dictionary(
      fc
        .stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
        .filter((name) => !/^(plugin_load_add|optimizer_switch|log_bin|skip_log_bin|loose_.*)$/.test(name)),
      fc.stringMatching(/^[ -~]{0,20}$/).map((text) => text.trim()),
    )
    fc.assert(
      fc.property(kept, (values) => {
        const undecided = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, { value, expected: 'x' }]),
        )
        expect(delta({ ...noDrift, undecided })).to.deep.equal(values)
      }),
    )
  })

  it('write switches and the binary log as servers read them', () => {
    const undecided = {
      'optimizer_switch.mrr': { value: 'off', expected: 'on' },
      log_bin: { value: 'OFF', expected: '/var/log/bin' },
    }
    const text = renderDelta({ undecided })
    expect(text).to.contain('\nskip_log_bin\n').and.to.contain('\noptimizer_switch = mrr=off\n')
    expect(delta({ ...noDrift, undecided })).to.deep.equal({ 'optimizer_switch.mrr': 'off', log_bin: 'OFF' })
  })

  it('keep lines that users added', () => {
    const own = '# ours\n[mysqld]\nmax_connections = 5 # few\n[client]\nport = 1\n'
    const set = editOverlay(own, 'sort_buffer_size', '1048576')
    expect(Object.fromEntries(parseOptions(set))).to.deep.equal({ max_connections: '5', sort_buffer_size: '1048576' })
    expect(editOverlay(set, 'sort_buffer_size', undefined)).to.contain('max_connections = 5 # few')
    expect(parseOptions(editOverlay(own, 'max_connections', undefined)).size).to.equal(0)
  })

  it('contain exactly the accepted values', () => {
    const a = { a: { value: '1', expected: '2' } }
    const written = renderAgreed('[mysqld]\nb = 3\n', {}, a)
    expect(Object.fromEntries(parseOptions(written))).to.deep.equal({ a: '1', b: '3' })
    expect(Object.fromEntries(parseOptions(renderAgreed(written, a, {})))).to.deep.equal({ b: '3' })
  })
})

describe('sameValue', () => {
  for (const [one, other, same] of [
    ['16M', '16777216', true],
    ['433K', '442368', true],
    ['ON', '1', true],
    ['OFF', '0', true],
    ['1', '1.000000', true],
    ['STRICT_TRANS_TABLES,NO_ZERO_DATE', 'no_zero_date,strict_trans_tables', true],
    ['/data/', '/data', true],
    ['2', 'ON', false],
    ['', 'OFF', false],
    ['2M', '1048576', false],
  ] as const)
    it(`takes ${one} and ${other} for ${same ? 'the same' : 'different'}`, () => {
      expect(sameValue(one, other)).to.equal(same)
      expect(sameValue(other, one)).to.equal(same)
    })
})

describe('shownValue', () => {
  const server = {
    variables: {
      optimizer_switch: 'mrr=on,icp=off',
      log_bin: 'ON',
      log_bin_basename: '/l/bin',
      tx_isolation: 'SERIALIZABLE',
    },
    plugins: [{ name: 'DISKS', status: 'ACTIVE', library: 'disks.so' }],
  }
  for (const [name, value] of [
    ['optimizer_switch.icp', 'off'],
    ['log_bin', '/l/bin'],
    ['transaction_isolation', 'SERIALIZABLE'],
    ['plugin_load_add.disks', 'loaded'],
    ['plugin_load_add.ha_s3', ''],
    ['nothing', undefined],
  ] as const)
    it(`finds ${name}`, () => {
      expect(shownValue(name, server)).to.equal(value)
    })
})
